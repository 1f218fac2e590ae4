import type { Job } from "../../api/types";
import { hasEnded } from "./progress";

interface Watcher {
  onJob: (job: Job) => void;
  /** Whether events arrive now; while they do not, the caller asks by itself. */
  onLive: (live: boolean) => void;
}

/** A job says nothing for minutes when it waits; then, or when the stream is dead, asking costs little. */
const SILENCE = 40_000;

/**
 * Reads the events of a job until it has ended or the caller stops. The browser connects
 * again by itself; why the service refuses, it tells whoever asks for the job.
 */
export function followJob(id: string, { onJob, onLive }: Watcher): () => void {
  const source = new EventSource(`/api/jobs/${encodeURIComponent(id)}/events`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    source.close();
  };
  const lost = () => {
    clearTimeout(timer);
    onLive(false);
  };
  source.addEventListener("error", lost);
  source.addEventListener("job", ({ data }) => {
    clearTimeout(timer);
    timer = setTimeout(lost, SILENCE);
    const job = JSON.parse(data) as Job;
    onLive(true);
    onJob(job);
    if (hasEnded(job.state)) stop();
  });
  return stop;
}

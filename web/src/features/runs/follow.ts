import { authorisedFetch } from "../../api/client";
import { readEvents } from "../../api/eventStream";
import type { Job } from "../../api/types";
import { hasEnded } from "./progress";

interface Watcher {
  onJob: (job: Job) => void;
  /** Whether events arrive now; while they do not, the caller asks by itself. */
  onLive: (live: boolean) => void;
  signal: AbortSignal;
}

/** The service beats every 15 s; after two missed beats the stream counts as dead. */
const SILENCE = 40_000;
const LONGEST_PAUSE = 30_000;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Reads the events of a job until it has ended, connecting again whenever the stream breaks off. */
export async function followJob(id: string, { onJob, onLive, signal }: Watcher): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    const quiet = new AbortController();
    const either = AbortSignal.any([signal, quiet.signal]);
    let timer = setTimeout(() => quiet.abort(), SILENCE);
    try {
      const headers = { Accept: "text/event-stream" };
      const response = await authorisedFetch(
        new Request(`/api/jobs/${encodeURIComponent(id)}/events`, { headers, signal: either }),
      );
      // Asking for the job itself tells why, in the service's own words.
      if (!response.ok) return;
      for await (const event of readEvents(response)) {
        clearTimeout(timer);
        timer = setTimeout(() => quiet.abort(), SILENCE);
        if (event?.event !== "job") continue;
        const job = JSON.parse(event.data) as Job;
        failures = 0;
        onLive(true);
        onJob(job);
        if (hasEnded(job.state)) return;
      }
    } catch {
      // A broken stream is not an error to show: polling takes over, and shows its own.
    } finally {
      clearTimeout(timer);
      if (!signal.aborted) onLive(false);
    }
    await pause(Math.min(LONGEST_PAUSE, 1000 * 2 ** failures), signal);
  }
}

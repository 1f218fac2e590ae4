import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { pollInterval } from "../../api/polling";
import type { Job } from "../../api/types";
import { followJob } from "./follow";
import { advance, hasEnded, type Meter, newest } from "./progress";
import { fetchJob, jobKey, runEnded, setJob } from "./queries";

/** Watches one job: by events where they arrive, else by asking. */
export function useJob(id: string, initial: Job | undefined) {
  const client = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const [since] = useState(Date.now);
  const failures = useRef(0);
  const query = useQuery({
    queryKey: jobKey(id),
    queryFn: async ({ signal }) => {
      failures.current++;
      const answer = await fetchJob(id, signal);
      failures.current = 0;
      return newest(client.getQueryData<Job>(jobKey(id)), answer);
    },
    ...(initial && { initialData: initial }),
    refetchInterval: ({ state }) =>
      pollInterval({
        since,
        now: Date.now(),
        hidden: document.hidden,
        ended: state.data !== undefined && hasEnded(state.data.state),
        streaming,
        failures: failures.current,
      }),
    refetchIntervalInBackground: true,
  });
  const job = query.data;
  const ended = job !== undefined && hasEnded(job.state);

  useEffect(() => {
    if (ended) return;
    return followJob(id, { onLive: setStreaming, onJob: (next) => setJob(client, next) });
  }, [id, ended, client]);

  // Only an end that was watched makes the result appear; an old job stays as it is.
  const ran = useRef(false);
  useEffect(() => {
    if (job && !ended) ran.current = true;
    if (ended && ran.current) {
      ran.current = false;
      runEnded(client);
    }
  }, [job, ended, client]);

  const [meter, setMeter] = useState<Meter>();
  const [reported, setReported] = useState<Job>();
  if (job && job !== reported) {
    setReported(job);
    setMeter(advance(meter, job));
  }
  return { query, job, meter, ended };
}

import { useEffect, useRef } from "react";
import type { Job } from "../../api/types";
import { integer } from "../../lib/number";
import { useCalm } from "../../lib/useCalm";
import { visible } from "../../lib/visible";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { ProgressBar } from "../../ui/ProgressBar";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { jobProblem } from "../runs/jobProblem";
import { hasEnded, workWords } from "../runs/progress";
import run from "../runs/RunCard.module.css";
import { useJob } from "../runs/useJob";

interface Props {
  id: string;
  what: string;
  onSucceeded?: (job: Job) => void;
}

/** A job at work, and why it ended when it did not succeed. */
export function JobWatch({ id, what, onSucceeded }: Props) {
  const { query, job } = useJob(id, undefined);
  const told = useRef<string>(undefined);
  const latest = useRef(onSucceeded);
  latest.current = onSucceeded;
  useEffect(() => {
    if (job?.state !== "succeeded" || told.current === id) return;
    told.current = id;
    latest.current?.(job);
  }, [job, id]);
  const { done = 0, total = 0 } = job?.progress ?? {};
  const share = total > 0 ? Math.min(100, Math.floor((100 * done) / total)) : undefined;
  const words = job?.state === "queued" ? "waiting for a worker" : job ? workWords(job.progress) : "";
  const spoken = useCalm(`${what}: ${words}`);
  if (!job) {
    return query.error ? (
      <QueryError query={query} what="The job could not be watched." />
    ) : (
      <Skeleton label="Loading the job" rows={2} />
    );
  }
  if (job.state === "failed") return <ErrorPanel error={jobProblem(job)} what={`${what}: it failed.`} />;
  if (job.state === "cancelled") return <p role="status">{what}: it was cancelled.</p>;
  if (hasEnded(job.state)) return null;
  return (
    <article className={run.card} aria-label={what}>
      <div className={run.head}>
        <strong>{what}</strong>
        <span className={run.work}>{words}</span>
        <span className={run.percent}>{share !== undefined && `${integer(share)} %`}</span>
      </div>
      <ProgressBar label={what} words={words || "at work"} value={share} />
      {job.progress.detail && <p className={run.facts}>{visible(job.progress.detail)}</p>}
      <span className="visually-hidden" role="status">
        {spoken}
      </span>
    </article>
  );
}

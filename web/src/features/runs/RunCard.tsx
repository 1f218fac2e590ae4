import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Job } from "../../api/types";
import { plural } from "../../lib/number";
import { serviceClock } from "../../lib/serviceClock";
import { age, duration } from "../../lib/time";
import { useCalm } from "../../lib/useCalm";
import { useNow } from "../../lib/useNow";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { ProgressBar } from "../../ui/ProgressBar";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { useMay } from "../session/queries";
import { jobProblem } from "./jobProblem";
import { hasEnded, type Meter, phaseWord, workWords } from "./progress";
import { cancelRun, retryRun, runEnded, setJob } from "./queries";
import styles from "./RunCard.module.css";
import { useJob } from "./useJob";

interface Props {
  id: string;
  initial: Job | undefined;
  onDismiss: () => void;
  onReplaced: (job: Job | null) => void;
}

export function RunCard({ id, initial, onDismiss, onReplaced }: Props) {
  const { query, job, meter } = useJob(id, initial);
  if (!job || !meter) {
    return query.error ? (
      <QueryError query={query} what="The run could not be watched." />
    ) : (
      <Skeleton label="Loading the run" rows={2} />
    );
  }
  return (
    <article className={styles.card} aria-label="Run" data-state={job.state} data-job={job.id}>
      {hasEnded(job.state) ? (
        <Ended job={job} onDismiss={onDismiss} onReplaced={onReplaced} />
      ) : (
        <Running job={job} meter={meter} lost={query.isError ? query.dataUpdatedAt : undefined} />
      )}
    </article>
  );
}

function Running({ job, meter, lost }: { job: Job; meter: Meter; lost: number | undefined }) {
  const client = useQueryClient();
  const may = useMay();
  const now = useNow();
  const cancel = useMutation({
    mutationFn: () => cancelRun(job.id),
    onSuccess: (next) => setJob(client, next),
  });
  const { progress } = job;
  const queued = job.state === "queued";
  const phase = queued ? "Waiting for a worker" : phaseWord(progress.phase);
  const percent = meter.share === null || queued ? undefined : Math.floor(meter.position);
  const work = workWords(progress);
  const words = [phase, work, percent !== undefined && `${percent} %`].filter(Boolean).join(", ");
  const spoken = useCalm(words);
  const waiting = progress.waitingSeconds > 0;
  const facts = [
    plural(progress.requests, "request"),
    job.startedAt
      ? `running for ${duration(Math.max(1000, now - Date.parse(job.startedAt)))}`
      : `queued ${age(job.createdAt, now)}`,
    progress.etaSeconds !== undefined && finish(progress.etaSeconds * 1000, now),
    job.attempt > 1 && `attempt ${job.attempt}`,
  ].filter((fact) => fact !== false);

  return (
    <>
      <div className={styles.head}>
        <strong>{phase}</strong>
        <span className={styles.work}>{work}</span>
        <span className={styles.percent}>{percent !== undefined && `${percent} %`}</span>
        {may("operator", job.account) && (
          <Button onClick={() => cancel.mutate()} disabled={cancel.isPending || cancel.isSuccess}>
            {cancel.isPending || cancel.isSuccess ? "Cancelling…" : "Cancel"}
          </Button>
        )}
      </div>
      <ProgressBar
        label="Progress of the run"
        words={words}
        value={percent !== undefined || meter.position > 0 ? meter.position : undefined}
        paused={waiting || queued}
      />
      <p className={styles.facts}>
        {waiting && (
          <span className={styles.waiting}>
            Waiting {progress.waitingSeconds} s, because Cloudflare admits 1,200 requests in 5 minutes.{" "}
          </span>
        )}
        {!waiting && progress.detail && <span>{visible(progress.detail)}. </span>}
        {facts.join(" · ")}
      </p>
      {lost !== undefined && (
        <p className={styles.facts}>
          The service does not answer; last update {age(new Date(serviceClock.at(lost)).toISOString(), now)}.
        </p>
      )}
      {cancel.isError && (
        <ErrorPanel error={cancel.error} what="The run was not cancelled." onRetry={() => cancel.mutate()} />
      )}
      <span className="visually-hidden" role="status">
        {spoken}
      </span>
    </>
  );
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** "ends at about 14:32, in 26 min". */
function finish(left: number, now: number): string {
  if (left < 1000) return "about to end";
  return `ends at about ${clock.format(now + left)}, in ${duration(left < 90_000 ? left : Math.round(left / 60_000) * 60_000)}`;
}

function Ended({ job, onDismiss, onReplaced }: { job: Job; onDismiss: () => void; onReplaced: Props["onReplaced"] }) {
  const client = useQueryClient();
  const may = useMay();
  const retry = useMutation({
    mutationFn: () => retryRun(job.id),
    onSuccess: (next) => {
      onReplaced(next);
      runEnded(client);
    },
  });
  const took = job.startedAt && job.finishedAt ? Date.parse(job.finishedAt) - Date.parse(job.startedAt) : undefined;
  const heading =
    { succeeded: "The run has finished", cancelled: "The run was cancelled" }[job.state] ?? "The run failed";
  return (
    <>
      <div className={styles.head} role="status">
        <strong>{heading}</strong>
        <span className={styles.work}>
          {took !== undefined && `after ${duration(took)}, `}
          {plural(job.progress.requests, "request")}
          {job.state === "cancelled" && ". What it had read is kept for a retry"}
        </span>
        <span className={styles.percent} />
        {job.state !== "succeeded" && may("operator", job.account) && (
          <Button onClick={() => retry.mutate()} disabled={retry.isPending}>
            Retry
          </Button>
        )}
        <Button look="quiet" onClick={onDismiss}>
          Dismiss
        </Button>
      </div>
      {job.state === "failed" && <ErrorPanel error={jobProblem(job)} what="Reason:" />}
      {retry.isError && (
        <ErrorPanel error={retry.error} what="The retry did not start." onRetry={() => retry.mutate()} />
      )}
    </>
  );
}

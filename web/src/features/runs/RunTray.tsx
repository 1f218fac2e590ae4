import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { Account, Job } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { accountOf, accountsQuery, addressOf } from "../account/queries";
import { useMay } from "../session/queries";
import { jobProblem } from "./jobProblem";
import { hasEnded, phaseWord, workWords } from "./progress";
import { activeJobs, cancelRun, setJob } from "./queries";
import styles from "./RunTray.module.css";
import { useJob } from "./useJob";

/** Every run at work, whatever page is shown, each with its state and a way to cancel it. */
export function RunTray() {
  const box = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);
  const { data: jobs } = useQuery(activeJobs);
  const { data: accounts } = useQuery(accountsQuery);
  // What was focused may have ended and gone, so the key is heard wherever it is pressed.
  useEffect(() => {
    if (!open) return;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape" || !box.current) return;
      // One press closes one thing, and what is above this.
      if (document.querySelector('[role="dialog"], [role="menu"]')) return;
      box.current.open = false;
      box.current.querySelector("summary")?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [open]);
  if (!jobs || jobs.length === 0) return null;
  return (
    <details ref={box} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className={styles.tray}>
      <summary className={styles.mark}>
        {jobs.length === 1 ? "1 run at work" : `${plural(jobs.length, "run")} at work`}
      </summary>
      {/* Closed, it watches nothing: the pages that show a run watch it themselves. */}
      <ul className={styles.list}>
        {open && jobs.map((job) => <Run key={job.id} initial={job} account={accountOf(accounts, job.account)} />)}
      </ul>
    </details>
  );
}

function Run({ initial, account }: { initial: Job; account: Account | undefined }) {
  const client = useQueryClient();
  const may = useMay();
  const { job = initial, meter } = useJob(initial.id, initial);
  const cancel = useMutation({ mutationFn: () => cancelRun(job.id), onSuccess: (next) => setJob(client, next) });
  const name = visible(account?.name ?? "One-off token");
  const ended = hasEnded(job.state);
  const known = meter !== undefined && meter.share !== null && job.state === "running";
  return (
    <li className={styles.run}>
      <div className={styles.line}>
        {account ? (
          <Link to="/a/$a" params={{ a: addressOf(account) }}>
            {name}
          </Link>
        ) : (
          <span>{name}</span>
        )}
        <span className="muted">
          {ended ? job.state : job.state === "queued" ? "waiting for a worker" : phaseWord(job.progress.phase)}
        </span>
        {!ended && may("operator", job.account) && (
          <Button
            look="quiet"
            aria-label={`Cancel the run of ${name}`}
            disabled={cancel.isPending || cancel.isSuccess}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )}
      </div>
      {/* Without a known share there is no value: an invented one would look like progress. */}
      {!ended && (
        <progress
          className={styles.bar}
          aria-label={`Run of ${name}`}
          max={100}
          {...(known && { value: meter.position })}
        />
      )}
      <p className="muted">
        {job.progress.waitingSeconds > 0
          ? `Waiting ${job.progress.waitingSeconds} s for Cloudflare's request limit`
          : workWords(job.progress)}
      </p>
      {job.state === "failed" && <p>{visible(jobProblem(job).detail)}</p>}
      {cancel.isError && <p role="alert">The run was not cancelled: {cancel.error.message}</p>}
    </li>
  );
}

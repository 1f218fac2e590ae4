import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Job } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { useSend } from "../../lib/useSend";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { QueryError } from "../../ui/QueryStatus";
import { useMay } from "../session/queries";
import { BLANK, type RunForm, requestOf } from "./form";
import { activeJobs, lastRun, setJob, startRun } from "./queries";
import { RunCard } from "./RunCard";
import { RunOptions } from "./RunOptions";
import styles from "./RunPanel.module.css";

interface Props {
  /** The id the account is registered by. */
  account: string;
  newestResult: string | undefined;
}

/** Starts runs of an account and shows those at work, also such that were started elsewhere or before a reload. */
export function RunPanel({ account, newestResult }: Props) {
  const client = useQueryClient();
  const may = useMay();
  const active = useKeptError(useQuery(activeJobs));
  const last = useQuery(lastRun(account));
  const [known, setKnown] = useState<string[]>([]);
  const [dismissed, setDismissed] = useState<string[]>([]);
  const [form, setForm] = useState<RunForm>(BLANK);

  const watch = (job: Job | null) => {
    if (!job) return;
    setJob(client, job);
    setKnown((ids) => [...new Set([...ids, job.id])]);
  };
  const start = useSend();
  const begin = () =>
    start.send(async () => {
      try {
        watch(await startRun({ ...requestOf(form), account }));
      } finally {
        // A refusal is often a run that is already at work; showing it explains more than the refusal.
        void client.invalidateQueries({ queryKey: ["jobs"] });
      }
    });

  // A job leaves the list when it ends, but its card stays until it is dismissed.
  useEffect(() => {
    const ids = active.data?.filter((job) => job.account === account).map((job) => job.id) ?? [];
    if (ids.length > 0) setKnown((before) => [...new Set([...before, ...ids])]);
  }, [active.data, account]);

  const failed = failedSince(last.data, newestResult);
  const shown = [...new Set([...known, ...(failed ? [failed.id] : [])])].filter((id) => !dismissed.includes(id));

  return (
    <section className={styles.panel} aria-label="Runs">
      {may("operator", account) && (
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            begin();
          }}
        >
          <Button type="submit" look="primary" disabled={start.pending}>
            Run assessment
          </Button>
          <RunOptions form={form} onChange={setForm} />
        </form>
      )}
      {Boolean(start.error) && <ErrorPanel error={start.error} what="The run did not start." onRetry={begin} />}
      <QueryError query={active} what="Running jobs are not known." />
      {shown.map((id) => (
        <RunCard
          key={id}
          id={id}
          initial={active.data?.find((job) => job.id === id) ?? (failed?.id === id ? failed : undefined)}
          onDismiss={() => setDismissed((ids) => [...ids, id])}
          onReplaced={(job) => {
            setDismissed((ids) => [...ids, id]);
            watch(job);
          }}
        />
      ))}
    </section>
  );
}

/** The last run, when it failed and nothing has succeeded since. */
function failedSince(last: Job | null | undefined, newestResult: string | undefined): Job | undefined {
  if (last?.state !== "failed") return undefined;
  const at = Date.parse(last.finishedAt ?? last.createdAt);
  return newestResult === undefined || at > Date.parse(newestResult) ? last : undefined;
}

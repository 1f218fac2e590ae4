import { useEffect, useRef, useState } from "react";
import type { Assessment } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { save } from "../exports/download";
import { fileName } from "../exports/formats";
import { findingsCsv, findingsJson } from "./exportFindings";
import { everyFinding } from "./queries";
import { type Filters, findingsQuery } from "./search";

const KINDS = {
  csv: { type: "text/csv;charset=utf-8", write: findingsCsv },
  json: { type: "application/json", write: findingsJson },
} as const;

/** Exactly what the filter lists as a file, made in the browser: the exports of the service hold whole assessments. */
export function ExportButtons({ assessment, search }: { assessment: Assessment; search: Filters }) {
  const [count, setCount] = useState<number>();
  const [saved, setSaved] = useState("");
  const [error, setError] = useState<{ kind: keyof typeof KINDS; cause: unknown }>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const { account, id, completedAt } = assessment;
  const start = async (kind: keyof typeof KINDS) => {
    const control = new AbortController();
    stop.current = control;
    setError(undefined);
    setSaved("");
    setCount(0);
    try {
      const filter = findingsQuery(search);
      const findings = await everyFinding(id, filter, control.signal, setCount);
      // The address names the assessment, because "latest" means another one tomorrow.
      const query = new URLSearchParams(filter).toString().replaceAll("%2C", ",");
      const url = `${window.location.origin}/a/${encodeURIComponent(account.id)}/r/${id}/findings${query && `?${query}`}`;
      const text = KINDS[kind].write({ url, account: account.name, assessmentId: id, at: completedAt }, findings);
      save(
        new Blob([text], { type: KINDS[kind].type }),
        fileName(account.name || account.id, completedAt, "findings", kind),
      );
      setSaved(`${plural(findings.length, "finding")} saved.`);
    } catch (cause) {
      if (!control.signal.aborted) setError({ kind, cause });
    }
    setCount(undefined);
  };
  return (
    <>
      {count === undefined ? (
        <>
          <Button onClick={() => start("csv")}>Export CSV</Button>
          <Button onClick={() => start("json")}>Export JSON</Button>
        </>
      ) : (
        <Button onClick={() => stop.current?.abort()}>Stop the export ({integer(count)} read)</Button>
      )}
      <span role="status" className={form.hint}>
        {saved}
      </span>
      {error && <ErrorPanel error={error.cause} what="Nothing was exported." onRetry={() => start(error.kind)} />}
    </>
  );
}

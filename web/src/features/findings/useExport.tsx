import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Finding } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { save } from "../../ui/save";
import { ToolMenu } from "../../ui/ToolMenu";
import { fileName } from "../exports/formats";
import { type ExportHead, findingsCsv, findingsJson } from "./exportFindings";

/** Reads all that is listed, or throws: a part never passes for the whole. */
type Read = (signal: AbortSignal, onCount: (n: number) => void) => Promise<Finding[]>;

const KINDS = {
  csv: { type: "text/csv;charset=utf-8", write: findingsCsv },
  json: { type: "application/json", write: findingsJson },
} as const;

/**
 * Exactly what is listed as a file, in its order, made in the browser: the exports of the service hold whole assessments.
 * Gives the tool, and what became of it.
 */
export function useExport(head: Omit<ExportHead, "url">, path: string, read: Read) {
  const [count, setCount] = useState<number>();
  const [saved, setSaved] = useState("");
  const [error, setError] = useState<{ kind: keyof typeof KINDS; cause: unknown }>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const start = async (kind: keyof typeof KINDS) => {
    const control = new AbortController();
    stop.current = control;
    setError(undefined);
    setSaved("");
    setCount(0);
    try {
      const findings = await read(control.signal, setCount);
      const at = head.at || new Date().toISOString();
      const text = KINDS[kind].write({ ...head, at, url: `${window.location.origin}${path}` }, findings);
      save(new Blob([text], { type: KINDS[kind].type }), fileName(head.account || "all", at, "findings", kind));
      setSaved(`${plural(findings.length, "finding")} saved.`);
    } catch (cause) {
      if (!control.signal.aborted) setError({ kind, cause });
    }
    setCount(undefined);
  };
  return {
    tool:
      count === undefined ? (
        <ToolMenu
          label="Export"
          icon={<Download aria-hidden />}
          entries={[
            { kind: "do", name: "CSV of what is listed", onTurn: () => void start("csv") },
            { kind: "do", name: "JSON of what is listed", onTurn: () => void start("json") },
          ]}
        />
      ) : (
        <Button onClick={() => stop.current?.abort()}>Stop the export ({integer(count)} read)</Button>
      ),
    said: (
      <>
        <p role="status" className={saved ? form.hint : "visually-hidden"}>
          {saved}
        </p>
        {error && <ErrorPanel error={error.cause} what="Nothing was exported." onRetry={() => start(error.kind)} />}
      </>
    ),
  };
}

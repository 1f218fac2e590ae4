import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/Button";
import table from "../../ui/DataTable.module.css";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { PlainTable } from "../../ui/PlainTable";
import { save } from "../../ui/save";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import { fetchFile } from "./download";
import { bytes, FORMATS, fileName } from "./formats";

/** The assessment as files, whole. */
export function ExportsPage() {
  const assessment = useAssessment();
  const { id, account, completedAt } = assessment;
  const [aws, setAws] = useState({ id: "", region: "" });
  const query = `assessmentId=${encodeURIComponent(id)}`;
  const rows = FORMATS.map((format) => {
    const asff =
      format.id === "asff" && aws.id !== ""
        ? `&awsAccountId=${encodeURIComponent(aws.id)}${aws.region && `&awsRegion=${encodeURIComponent(aws.region)}`}`
        : "";
    const kind = format.end === "ndjson" ? format.id : "";
    return {
      ...format,
      path: `/api/download/${format.id}?${query}${asff}`,
      file: fileName(account.name || account.id, completedAt, kind, format.end),
    };
  });
  const evidence = {
    id: "evidence",
    name: "Evidence bundle",
    use: "Auditors: everything the assessment rests on, signed. The command edgeposture verify checks it offline.",
    path: `/api/assessments/${encodeURIComponent(id)}/evidence`,
    file: fileName(account.name || account.id, completedAt, "evidence", "zip"),
  };
  return (
    <>
      <RunTitle of="Reports" />
      <p className={form.hint}>
        Each file holds the whole assessment of <code>{id}</code>. To read it here, open{" "}
        <a href={`/report?${query}`} target="_blank" rel="noreferrer">
          the report
        </a>
        .
      </p>
      <PlainTable caption="Formats" columns={["Format", "For", "Size", "File"]}>
        {[...rows, evidence].map((row) => (
          <Row key={row.id} {...row} />
        ))}
      </PlainTable>
      <fieldset className={form.actions}>
        <legend className={form.hint}>AWS account and region (for ASFF)</legend>
        <input
          aria-label="AWS account id"
          placeholder="AWS account id"
          inputMode="numeric"
          maxLength={12}
          autoComplete="off"
          value={aws.id}
          onChange={({ target }) => setAws({ ...aws, id: target.value.replace(/\D/g, "") })}
        />
        <input
          aria-label="AWS region"
          placeholder="AWS region"
          maxLength={16}
          autoComplete="off"
          value={aws.region}
          onChange={({ target }) => setAws({ ...aws, region: target.value.trim() })}
        />
      </fieldset>
    </>
  );
}

interface RowProps {
  name: string;
  use: string;
  path: string;
  file: string;
}

function Row({ name, use, path, file }: RowProps) {
  const [size, setSize] = useState<number>();
  const [state, setState] = useState<"" | "busy" | "done">("");
  const [error, setError] = useState<unknown>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const start = async () => {
    const control = new AbortController();
    stop.current = control;
    setState("busy");
    setError(undefined);
    setSize(0);
    try {
      const blob = await fetchFile(path, control.signal, setSize);
      save(blob, file);
      setSize(blob.size);
      setState("done");
    } catch (caught) {
      if (!control.signal.aborted) setError(caught);
      setSize(undefined);
      setState("");
    }
  };
  return (
    <tr>
      <td data-label="Format">
        <strong>{name}</strong>
      </td>
      <td data-label="For" className={table.text}>
        {use}
        {Boolean(error) && <ErrorPanel error={error} what="The file was not fetched." onRetry={start} />}
      </td>
      <td data-label="Size">{size === undefined ? <span className="muted">–</span> : bytes(size)}</td>
      <td data-label="File">
        {state === "busy" ? (
          <Button onClick={() => stop.current?.abort()} aria-label={`Stop fetching ${name}`}>
            Stop
          </Button>
        ) : (
          <Button onClick={start} aria-label={`Fetch ${name}`} title={file}>
            Fetch
          </Button>
        )}
        <span role="status" className="visually-hidden">
          {state === "done" && `${file} is saved`}
        </span>
      </td>
    </tr>
  );
}

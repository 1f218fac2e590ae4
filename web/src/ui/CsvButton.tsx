import { Download } from "lucide-react";
import { useSend } from "../lib/useSend";
import { Button } from "./Button";
import { type CsvColumn, csvOf } from "./csv";
import { ErrorPanel } from "./ErrorPanel";
import { save } from "./save";
import tools from "./Tools.module.css";

interface Props<T> {
  /** What the rows are, as a part of the file's name. */
  name: string;
  columns: readonly CsvColumn<T>[];
  /** All that is listed, loaded or not. */
  rows: () => readonly T[] | Promise<readonly T[]>;
}

/** Saves what a table lists as comma-separated values, in its order. */
export function CsvButton<T>({ name, columns, rows }: Props<T>) {
  const { pending, error, send } = useSend();
  const download = () =>
    send(async () => {
      const text = csvOf(columns, await rows());
      save(new Blob([text], { type: "text/csv;charset=utf-8" }), `edgeposture-${name}.csv`);
    });
  return (
    <>
      <Button aria-label="CSV" disabled={pending} onClick={download}>
        <Download aria-hidden width={14} height={14} />
        <span className={tools.spare}>CSV</span>
      </Button>
      {error !== undefined && <ErrorPanel error={error} what="Nothing was saved." onRetry={download} />}
    </>
  );
}

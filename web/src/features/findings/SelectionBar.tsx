import { useEffect, useRef, useState } from "react";
import { integer, plural } from "../../lib/number";
import { useCalm } from "../../lib/useCalm";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { AcceptDialog } from "../exceptions/AcceptDialog";
import type { Selection } from "./selection";

interface Props {
  selection: Selection;
  /** How many match, when that is known. */
  matching: number | undefined;
  /** Reads every finding that matches and gives those that can be selected. */
  everyMatching: (signal: AbortSignal, onCount: (n: number) => void) => Promise<Selection>;
  onSelect: (selection: Selection) => void;
  onAccepted: (findings: number) => void;
  onClear: () => void;
}

/** What can be done with the selected findings. */
export function SelectionBar({ selection, matching, everyMatching, onSelect, onAccepted, onClear }: Props) {
  const [accepting, setAccepting] = useState(false);
  const [count, setCount] = useState<number>();
  const [error, setError] = useState<unknown>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const spoken = useCalm(`${plural(selection.size, "finding")} selected`);
  const all = async () => {
    const control = new AbortController();
    stop.current = control;
    setError(undefined);
    setCount(0);
    try {
      onSelect(await everyMatching(control.signal, setCount));
    } catch (cause) {
      if (!control.signal.aborted) setError(cause);
    }
    setCount(undefined);
  };
  return (
    <section className={form.actions} aria-label="Selected findings">
      <strong>{plural(selection.size, "finding")} selected</strong>
      <span className="visually-hidden" role="status">
        {spoken}
      </span>
      <Button look="primary" onClick={() => setAccepting(true)}>
        Accept…
      </Button>
      {count === undefined ? (
        <Button onClick={all}>
          {matching === undefined ? "Select all matching" : `Select all ${integer(matching)} matching`}
        </Button>
      ) : (
        <Button onClick={() => stop.current?.abort()}>Stop ({integer(count)} read)</Button>
      )}
      <Button look="quiet" onClick={onClear}>
        Clear the selection
      </Button>
      {Boolean(error) && <ErrorPanel error={error} what="The selection was not extended." onRetry={all} />}
      {accepting && (
        <AcceptDialog chosen={[...selection.values()]} onClose={() => setAccepting(false)} onDone={onAccepted} />
      )}
    </section>
  );
}

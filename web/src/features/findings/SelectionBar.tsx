import { useState } from "react";
import { integer, plural } from "../../lib/number";
import { useCalm } from "../../lib/useCalm";
import { Button } from "../../ui/Button";
import form from "../../ui/Form.module.css";
import { onDemand } from "../../ui/onDemand";
import { useMay } from "../session/queries";
import type { Scope } from "./selection";
import type { useSelection } from "./useSelection";

const AcceptDialog = onDemand(() => import("../exceptions/AcceptDialog").then(({ AcceptDialog }) => AcceptDialog));

interface Props {
  selected: ReturnType<typeof useSelection>;
  /** How many match, when that is known. */
  total: number | undefined;
  /** All that match. */
  everything: Scope;
  onAccepted: (findings: number) => void;
}

/** What can be done with the selected findings. */
export function SelectionBar({ selected, total, everything, onAccepted }: Props) {
  const may = useMay();
  const { selection, matching, selectMatching, clear } = selected;
  const [accepting, setAccepting] = useState(false);
  const all = total === undefined ? "matching" : `${integer(total)} matching`;
  const words = matching ? `All ${all} selected` : `${plural(selection.size, "finding")} selected`;
  const spoken = useCalm(words);
  return (
    <section className={form.actions} aria-label="Selected findings">
      <strong>{words}</strong>
      <span className="visually-hidden" role="status">
        {spoken}
      </span>
      {may("analyst", "some") && (
        <Button look="primary" onClick={() => setAccepting(true)}>
          Accept…
        </Button>
      )}
      {matching ? (
        <span className={form.hint}>Loaded or not. Taking a row out leaves the other loaded ones selected.</span>
      ) : (
        <Button onClick={selectMatching}>Select all {all}</Button>
      )}
      <Button look="quiet" onClick={clear}>
        Clear the selection
      </Button>
      {accepting && (
        <AcceptDialog
          scope={matching ? everything : { ids: [...selection] }}
          onClose={() => setAccepting(false)}
          onDone={(findings) => {
            clear();
            onAccepted(findings);
          }}
        />
      )}
    </section>
  );
}

import { useState } from "react";
import type { Finding } from "../../api/types";
import { everyRow, NOTHING, type Selection, toggledRows } from "./selection";

interface Kept {
  filterKey: string;
  /** Rows by id, or whatever matches the filter, loaded or not. */
  chosen: Selection | "matching";
  last?: number;
}

/**
 * The selected rows of a list. Another filter selects nothing: what is not seen must not
 * be accepted. Taking a row out of all that match leaves the other loaded ones.
 */
export function useSelection(filterKey: string, items: readonly Finding[]) {
  const [kept, setKept] = useState<Kept>();
  const current = kept?.filterKey === filterKey ? kept : undefined;
  const matching = current?.chosen === "matching";
  const selection = !current ? NOTHING : current.chosen === "matching" ? everyRow(items) : current.chosen;
  return {
    selection,
    /** All that match are selected, not only the loaded rows. */
    matching,
    any: matching || selection.size > 0,
    selectMatching: () => setKept({ filterKey, chosen: "matching" }),
    clear: () => setKept(undefined),
    turn: (index: number, range: boolean) =>
      setKept({
        filterKey,
        chosen: toggledRows(selection, items, index, range ? current?.last : undefined),
        last: index,
      }),
    turnAll: (on: boolean) => setKept({ filterKey, chosen: on ? everyRow(items) : NOTHING }),
  };
}

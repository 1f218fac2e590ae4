import { useState } from "react";
import type { Finding } from "../../api/types";
import { chosenOf, NOTHING, type Selection, selectable, toggledRows } from "./selection";

/** The selected rows of a list. Another filter selects nothing: what is not seen must not be accepted. */
export function useSelection(filterKey: string, items: readonly Finding[], account: (finding: Finding) => string) {
  const [kept, setKept] = useState<{ filterKey: string; selection: Selection; last?: number }>();
  const current = kept?.filterKey === filterKey ? kept : undefined;
  const selection = current?.selection ?? NOTHING;
  const select = (next: Selection) => setKept({ filterKey, selection: next });
  const turn = (index: number, range: boolean) => {
    const next = toggledRows(selection, items, index, range ? current?.last : undefined, account);
    setKept({ filterKey, selection: next, last: index });
  };
  const turnAll = (on: boolean) =>
    select(on ? new Map(items.filter(selectable).map((each) => [each.id, chosenOf(each, account(each))])) : NOTHING);
  return { selection, select, turn, turnAll };
}

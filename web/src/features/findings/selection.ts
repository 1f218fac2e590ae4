import type { Finding } from "../../api/types";
import { LISTED } from "../../lib/result";

/** What accepting a finding needs to know of it. */
export interface Chosen {
  id: string;
  checkId: string;
  resourceId: string;
  account: string;
}

export type Selection = ReadonlyMap<string, Chosen>;

export const NOTHING: Selection = new Map();

/** A risk can be accepted where something is wrong or unknown, and not twice. */
export function selectable({ result, exception }: Finding): boolean {
  return (LISTED as readonly string[]).includes(result) && !exception;
}

export function chosenOf(finding: Finding, account: string): Chosen {
  return { id: finding.id, checkId: finding.checkId, resourceId: finding.resource.id, account };
}

/** Turns one over; from a row before, all between get what this one gets. */
export function toggledRows(
  selection: Selection,
  rows: readonly Finding[],
  index: number,
  from: number | undefined,
  account: (finding: Finding) => string,
): Selection {
  const row = rows[index];
  if (!row || !selectable(row)) return selection;
  const on = !selection.has(row.id);
  const next = new Map(selection);
  const [first, last] = from === undefined ? [index, index] : [Math.min(from, index), Math.max(from, index)];
  for (const each of rows.slice(first, last + 1)) {
    if (!selectable(each)) continue;
    if (on) next.set(each.id, chosenOf(each, account(each)));
    else next.delete(each.id);
  }
  return next;
}

import type { BulkFilter, Finding } from "../../api/types";
import { LISTED } from "../../lib/result";

/** The loaded rows that are selected, by id. */
export type Selection = ReadonlySet<string>;

/** Which findings are accepted: some by id, or all that a filter lists, in a run or over all accounts. */
export type Scope = { ids: string[] } | { assessmentId?: string; filter: BulkFilter };

export const NOTHING: Selection = new Set();

/** A risk can be accepted where something is wrong or unknown, and not twice. */
export function selectable({ result, exception }: Finding): boolean {
  return (LISTED as readonly string[]).includes(result) && !exception;
}

export function everyRow(rows: readonly Finding[]): Selection {
  return new Set(rows.filter(selectable).map(({ id }) => id));
}

/** Turns one over; from a row before, all between get what this one gets. */
export function toggledRows(
  selection: Selection,
  rows: readonly Finding[],
  index: number,
  from: number | undefined,
): Selection {
  const row = rows[index];
  if (!row || !selectable(row)) return selection;
  const on = !selection.has(row.id);
  const next = new Set(selection);
  const [first, last] = from === undefined ? [index, index] : [Math.min(from, index), Math.max(from, index)];
  for (const each of rows.slice(first, last + 1)) {
    if (!selectable(each)) continue;
    if (on) next.add(each.id);
    else next.delete(each.id);
  }
  return next;
}

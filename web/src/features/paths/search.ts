import type { ChokePoint } from "../../api/types";
import { SEVERITIES } from "../../lib/severity";
import { freeText, given, pickWords, sortParam } from "../../lib/url";
import { columnsParam } from "../../ui/column";

/** The orders and what people call them; the first is the default. */
export const SORT_WORDS = { severity: "Worst first", hops: "Shortest first", title: "Name" };

export interface PathsSearch {
  severity?: string | undefined;
  kind?: string | undefined;
  /** Only paths that this node is on. */
  node?: string | undefined;
  /** Only paths that a change at this node breaks. */
  breaks?: string | undefined;
  /** Only paths that this change breaks, by its words. */
  change?: string | undefined;
  q?: string | undefined;
  sort?: string | undefined;
  columns?: string | undefined;
}

export const NO_FILTER: PathsSearch = {
  severity: undefined,
  kind: undefined,
  node: undefined,
  breaks: undefined,
  change: undefined,
  q: undefined,
};

const FILTERS = Object.keys(NO_FILTER) as (keyof PathsSearch)[];

const LONGEST_ID = 1000;

export function pathsSearch(raw: Record<string, unknown>): PathsSearch {
  const kind = freeText(raw.kind, 64);
  return {
    severity: pickWords(raw.severity, SEVERITIES)[0],
    kind: kind !== undefined && /^[a-z0-9-]+$/.test(kind) ? kind : undefined,
    node: freeText(raw.node, LONGEST_ID),
    breaks: freeText(raw.breaks, LONGEST_ID),
    change: freeText(raw.change, LONGEST_ID),
    q: freeText(raw.q, 200),
    sort: sortParam(raw.sort, Object.keys(SORT_WORDS)),
    columns: columnsParam(raw.columns),
  };
}

/** The filter of what one change breaks. */
export function brokenBy({ nodeId, change }: Pick<ChokePoint, "nodeId" | "change">): PathsSearch {
  return { breaks: nodeId, change };
}

/** The filters and the order in the form the service takes. */
export function pathsQuery(search: PathsSearch): Record<string, string> {
  return given(search, [...FILTERS, "sort"]);
}

/** What of an address a saved view keeps. */
export function viewQuery(search: PathsSearch): string {
  return new URLSearchParams(given(search, [...FILTERS, "sort", "columns"])).toString();
}

import { SEVERITIES } from "../../lib/severity";
import { freeText, given, pickWords } from "../../lib/url";
import { columnsParam } from "../../ui/column";

/** The orders and what people call them; the first is the default. */
export const SORT_WORDS = { severity: "Worst first", hops: "Shortest first", title: "Name" };

export interface PathsSearch {
  severity?: string | undefined;
  kind?: string | undefined;
  /** Only paths that this node is on. */
  node?: string | undefined;
  q?: string | undefined;
  sort?: string | undefined;
  columns?: string | undefined;
}

export const NO_FILTER: PathsSearch = { severity: undefined, kind: undefined, node: undefined, q: undefined };

const FILTERS = Object.keys(NO_FILTER) as (keyof PathsSearch)[];

const LONGEST_ID = 1000;

export function pathsSearch(raw: Record<string, unknown>): PathsSearch {
  const kind = freeText(raw.kind, 64);
  const sort = pickWords(raw.sort, Object.keys(SORT_WORDS))[0];
  return {
    severity: pickWords(raw.severity, SEVERITIES)[0],
    kind: kind !== undefined && /^[a-z0-9-]+$/.test(kind) ? kind : undefined,
    node: freeText(raw.node, LONGEST_ID),
    q: freeText(raw.q, 200),
    sort: sort === "severity" ? undefined : sort,
    columns: columnsParam(raw.columns),
  };
}

/** The filters and the order in the form the service takes. */
export function pathsQuery(search: PathsSearch): Record<string, string> {
  return given(search, [...FILTERS, "sort"]);
}

/** What of an address a saved view keeps. */
export function viewQuery(search: PathsSearch): string {
  return new URLSearchParams(given(search, [...FILTERS, "sort", "columns"])).toString();
}

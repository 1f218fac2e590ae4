import { LISTED, RESULTS, type Result } from "../../lib/result";
import { SEVERITIES, type Severity } from "../../lib/severity";
import { chosenParam, freeText, given, pickWords, sortParam } from "../../lib/url";
import { columnsParam } from "../../ui/column";

/** What narrows a list of findings. A filter at its default is undefined and so absent. */
export interface Filters {
  result?: string | undefined;
  severity?: string | undefined;
  /** Categories, checks and zones after a minus are left out. */
  category?: string | undefined;
  zone?: string | undefined;
  check?: string | undefined;
  resource?: string | undefined;
  status?: string | undefined;
  remediable?: "yes" | "no" | undefined;
  exception?: "hidden" | "only" | undefined;
  q?: string | undefined;
}

/** How a list of findings is shown. */
export interface Look {
  /** The order; worst first when absent. */
  sort?: string | undefined;
  /** The columns in their order. */
  columns?: string | undefined;
}

/** The findings of one run as they stand in the URL. */
export interface FindingsSearch extends Filters, Look {
  group?: Grouping | undefined;
  /** The group whose findings are shown. */
  in?: string | undefined;
  /** The finding whose drawer is open. */
  finding?: string | undefined;
}

export const STATUSES = ["open", "reopened", "resolved"] as const;
export const GROUPINGS = ["check", "zone", "resource"] as const;
/** The orders and what people call them; the first is the default. */
export const SORT_WORDS = {
  severity: "Worst first",
  check: "Check",
  resource: "Resource",
  zone: "Zone",
  newest: "Newest first",
  oldest: "Open the longest",
};
export type Grouping = (typeof GROUPINGS)[number];

const ALL = "all";
const LONGEST_TEXT = 200;
const LONGEST_LIST = 2000;

export const NO_FILTER: Filters = {
  result: undefined,
  severity: undefined,
  category: undefined,
  zone: undefined,
  check: undefined,
  resource: undefined,
  status: undefined,
  remediable: undefined,
  exception: undefined,
  q: undefined,
};

const FILTERS = Object.keys(NO_FILTER) as (keyof Filters)[];

/**
 * Validates what stands in the URL; what is wrong counts as absent. Every key is
 * set, because the router lays this over the raw parameters.
 */
export function findingsSearch(raw: Record<string, unknown>): FindingsSearch {
  const group = pickWords(raw.group, GROUPINGS)[0];
  return {
    ...filters(raw),
    ...look(raw, Object.keys(SORT_WORDS)),
    group,
    in: group && freeText(raw.in, 1000),
    finding: typeof raw.finding === "string" && /^[0-9a-f]{32}$/.test(raw.finding) ? raw.finding : undefined,
  };
}

export function look(raw: Record<string, unknown>, sorts: readonly string[]): Look {
  return { sort: sortParam(raw.sort, sorts), columns: columnsParam(raw.columns) };
}

export function filters(raw: Record<string, unknown>): Filters {
  return {
    result: resultParam(raw.result === ALL ? RESULTS : pickWords(raw.result, RESULTS)),
    severity: chosenParam(pickWords(raw.severity === "info" ? "informational" : raw.severity, SEVERITIES), SEVERITIES),
    category: listParam(raw.category),
    zone: listParam(raw.zone),
    check: listParam(raw.check),
    resource: listParam(raw.resource),
    status: chosenParam(pickWords(raw.status, STATUSES), STATUSES),
    remediable: pickWords(raw.remediable, ["yes", "no"] as const)[0],
    exception: pickWords(raw.exception, ["hidden", "only"] as const)[0],
    q: freeText(raw.q, LONGEST_TEXT),
  };
}

export function resultsOf({ result }: Filters): Result[] {
  if (result === ALL) return [...RESULTS];
  const picked = pickWords(result, RESULTS);
  return picked.length === 0 ? [...LISTED] : picked;
}

export function severitiesOf({ severity }: Filters): Severity[] {
  return pickWords(severity, SEVERITIES);
}

/** The parameter for these results; none of them means the default, as in the service. */
export function resultParam(results: readonly Result[]): string | undefined {
  if (results.length === RESULTS.length) return ALL;
  const words = RESULTS.filter((result) => results.includes(result)).join(",");
  return words === LISTED.join(",") ? undefined : words || undefined;
}

/** Words parted by commas, each once. */
export function listOf(value: string | undefined): string[] {
  const words = (value ?? "").split(",").map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== "" && word !== "-"))];
}

function listParam(value: unknown): string | undefined {
  return listOf(freeText(value, LONGEST_LIST)).join(",") || undefined;
}

/** The checks that an address asks for and a run does not have: withdrawn since, left out of it, or mistyped. */
export function absentChecks(check: string | undefined, run: readonly { checkId: string }[]): string[] {
  return listOf(check).filter((id) => !id.startsWith("-") && !run.some(({ checkId }) => checkId === id));
}

export function isFiltered(search: Filters): boolean {
  return FILTERS.some((name) => search[name] !== undefined);
}

/** What of an address a saved view keeps: everything but what is open. */
export function viewQuery(search: Filters & Look & { group?: string | undefined }): string {
  return new URLSearchParams(given(search, [...FILTERS, "group", "sort", "columns"])).toString();
}

/** The filters in the form the service takes; the open finding and the grouping are no filters. */
export function findingsQuery(search: Filters): Record<string, string> {
  return given(search, FILTERS);
}

/** The filter of the rows that are shown: with a grouping, those of the open group alone. */
export function shownQuery(search: FindingsSearch): Record<string, string> | undefined {
  if (search.group === undefined) return findingsQuery(search);
  return search.in === undefined ? undefined : { ...findingsQuery(search), [search.group]: search.in };
}

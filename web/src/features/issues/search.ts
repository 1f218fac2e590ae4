import { SEVERITIES } from "../../lib/severity";
import { freeText, given, pickWords, sortParam } from "../../lib/url";
import { columnsParam } from "../../ui/column";

export const EFFORTS = ["one-click", "settings", "work"] as const;
const STATES = ["open", "acknowledged", "in_progress", "accepted", "all"] as const;

/** The orders and what people call them; the first is the default. */
export const SORT_WORDS = {
  rank: "What to do first",
  severity: "Severity",
  resources: "Most resources",
  paths: "Most attack paths",
  newest: "Newest first",
  oldest: "Open the longest",
  title: "Name",
  due: "Due first",
};

/** What narrows and orders the list of issues. A choice at its default is undefined and so absent. */
export interface IssuesSearch {
  q?: string | undefined;
  severity?: string | undefined;
  category?: string | undefined;
  effort?: string | undefined;
  state?: string | undefined;
  owner?: string | undefined;
  assignee?: string | undefined;
  overdue?: string | undefined;
  /** Issues that began in the last so many days of the run. */
  new?: string | undefined;
  sort?: string | undefined;
  columns?: string | undefined;
}

export const NO_FILTER: IssuesSearch = {
  q: undefined,
  severity: undefined,
  category: undefined,
  effort: undefined,
  state: undefined,
  owner: undefined,
  assignee: undefined,
  overdue: undefined,
  new: undefined,
};

const FILTERS = Object.keys(NO_FILTER) as (keyof IssuesSearch)[];

export function issuesSearch(raw: Record<string, unknown>): IssuesSearch {
  const state = pickWords(raw.state, STATES)[0];
  const categories = (freeText(raw.category, 500) ?? "").split(",").filter((word) => /^[a-z0-9-]+$/.test(word));
  return {
    q: freeText(raw.q, 200),
    severity: pickWords(raw.severity, SEVERITIES).join(",") || undefined,
    category: [...new Set(categories)].join(",") || undefined,
    effort: pickWords(raw.effort, EFFORTS).join(",") || undefined,
    state: state === "open" ? undefined : state,
    owner: freeText(raw.owner, 1000),
    assignee: freeText(raw.assignee, 1000),
    overdue: raw.overdue === "yes" ? "yes" : undefined,
    new: typeof raw.new === "string" && /^([1-9]\d{0,2}|\d{4}-\d\d-\d\d)$/.test(raw.new) ? raw.new : undefined,
    sort: sortParam(raw.sort, Object.keys(SORT_WORDS)),
    columns: columnsParam(raw.columns),
  };
}

/** The filters and the order in the form the service takes. */
export function issuesQuery(search: IssuesSearch): Record<string, string> {
  return given(search, [...FILTERS, "sort"]);
}

/** What of an address a saved view keeps. */
export function viewQuery(search: IssuesSearch): string {
  return new URLSearchParams(given(search, [...FILTERS, "sort", "columns"])).toString();
}

export function isFiltered(search: IssuesSearch): boolean {
  return FILTERS.some((name) => search[name] !== undefined);
}

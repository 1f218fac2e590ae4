import type { IssuesPage } from "../../api/types";
import type { FilterField } from "../../ui/FilterChips";
import { oneOf } from "../../ui/oneOf";
import { listField, severityOptions } from "../findings/fields";
import { EFFORTS, type IssuesSearch } from "./search";
import { effortWord } from "./words";

const STATES: Record<string, string> = {
  acknowledged: "Acknowledged",
  in_progress: "In progress",
  accepted: "Risk accepted",
  all: "Open and accepted",
};

const people = (counts: Record<string, number> | undefined) =>
  Object.keys(counts ?? {})
    .sort()
    .map((value) => ({ value, name: value === "none" ? "Nobody" : value }));

/** How many days back, and in words. */
const NEW: Record<string, string> = {
  "1": "Since yesterday",
  "7": "Since last week",
  "30": "In the last 30 days",
};

/** What the issues of a run are filtered by. */
export function issueFields(
  search: IssuesSearch,
  facets: IssuesPage["facets"],
  onChange: (part: IssuesSearch) => void,
): FilterField[] {
  const categories = Object.keys(facets?.category ?? {}).sort();
  const began =
    search.new === undefined || search.new in NEW
      ? NEW
      : { ...NEW, [search.new]: search.new.includes("-") ? `Since ${search.new}` : `In the last ${search.new} days` };
  return [
    listField("Severity", severityOptions(), search.severity, facets?.severity, (severity) => onChange({ severity })),
    listField(
      "Category",
      categories.map((value) => ({ value, name: value })),
      search.category,
      facets?.category,
      (category) => onChange({ category }),
    ),
    listField(
      "Effort",
      EFFORTS.map((value) => ({ value, name: effortWord(value) })),
      search.effort,
      facets?.effort,
      (effort) => onChange({ effort }),
    ),
    oneOf("State", STATES, search.state, facets?.state, (state) => onChange({ state })),
    listField("Owner", people(facets?.owner), search.owner, facets?.owner, (owner) => onChange({ owner })),
    listField("Assignee", people(facets?.assignee), search.assignee, facets?.assignee, (assignee) =>
      onChange({ assignee }),
    ),
    oneOf("Due", { yes: "Overdue" }, search.overdue, undefined, (overdue) => onChange({ overdue })),
    oneOf("New", began, search.new, undefined, (since) => onChange({ new: since })),
  ];
}

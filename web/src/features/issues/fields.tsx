import type { IssuesPage } from "../../api/types";
import type { FilterField } from "../../ui/FilterChips";
import { listField, oneOf, severityOptions } from "../findings/fields";
import { EFFORTS, type IssuesSearch } from "./search";
import { effortWord } from "./words";

const STATES: Record<string, string> = { accepted: "Risk accepted", all: "Open and accepted" };

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
    oneOf("State", STATES, search.state, undefined, (state) => onChange({ state })),
    oneOf("New", began, search.new, undefined, (since) => onChange({ new: since })),
  ];
}

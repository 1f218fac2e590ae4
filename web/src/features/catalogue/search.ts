import { SEVERITIES } from "../../lib/severity";
import { freeText, pickWords, sortParam } from "../../lib/url";

export interface CatalogueSearch {
  q?: string | undefined;
  category?: string | undefined;
  severity?: string | undefined;
  sort?: string | undefined;
}

export const NO_FILTER: CatalogueSearch = { q: undefined, category: undefined, severity: undefined };

/** The orders and what people call them; the first is the default. */
export const SORT_WORDS = { id: "By id", severity: "Severity", title: "Title" };

export function catalogueSearch(raw: Record<string, unknown>): CatalogueSearch {
  return {
    q: freeText(raw.q, 200),
    category: freeText(raw.category, 64),
    severity: pickWords(raw.severity, SEVERITIES)[0],
    sort: sortParam(raw.sort, Object.keys(SORT_WORDS)),
  };
}

import { SEVERITIES } from "../../lib/severity";
import { freeText, pickWords } from "../../lib/url";

export interface CatalogueSearch {
  q?: string | undefined;
  category?: string | undefined;
  severity?: string | undefined;
}

export function catalogueSearch(raw: Record<string, unknown>): CatalogueSearch {
  return {
    q: freeText(raw.q, 200),
    category: freeText(raw.category, 64),
    severity: pickWords(raw.severity, SEVERITIES)[0],
  };
}

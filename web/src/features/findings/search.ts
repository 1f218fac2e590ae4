import { LISTED, RESULTS, type Result } from "../../lib/result";
import { SEVERITIES, type Severity } from "../../lib/severity";
import { freeText, pickWords } from "../../lib/url";

/** The filters as they stand in the URL. A filter at its default is undefined and so absent. */
export interface FindingsSearch {
  result?: string | undefined;
  severity?: string | undefined;
  category?: string | undefined;
  zone?: string | undefined;
  q?: string | undefined;
  /** The finding whose drawer is open. */
  finding?: string | undefined;
}

const ALL = "all";
const LONGEST_TEXT = 200;

/**
 * Validates what stands in the URL; what is wrong counts as absent. Every key is
 * set, because the router lays this over the raw parameters.
 */
export function findingsSearch(raw: Record<string, unknown>): FindingsSearch {
  return {
    result: resultParam(raw.result === ALL ? RESULTS : pickWords(raw.result, RESULTS)),
    severity: severityParam(pickWords(raw.severity === "info" ? "informational" : raw.severity, SEVERITIES)),
    category: freeText(raw.category, 64),
    zone: freeText(raw.zone, 255),
    q: freeText(raw.q, LONGEST_TEXT),
    finding: typeof raw.finding === "string" && /^[0-9a-f]{32}$/.test(raw.finding) ? raw.finding : undefined,
  };
}

export function resultsOf({ result }: FindingsSearch): Result[] {
  if (result === ALL) return [...RESULTS];
  const picked = pickWords(result, RESULTS);
  return picked.length === 0 ? [...LISTED] : picked;
}

export function severitiesOf({ severity }: FindingsSearch): Severity[] {
  return pickWords(severity, SEVERITIES);
}

/** The parameter for these results; none of them means the default, as in the service. */
export function resultParam(results: readonly Result[]): string | undefined {
  if (results.length === RESULTS.length) return ALL;
  const words = RESULTS.filter((result) => results.includes(result)).join(",");
  return words === LISTED.join(",") ? undefined : words || undefined;
}

export function severityParam(severities: readonly Severity[]): string | undefined {
  if (severities.length === SEVERITIES.length) return undefined;
  return SEVERITIES.filter((severity) => severities.includes(severity)).join(",") || undefined;
}

/** Adds the word when it is absent and removes it when it is there. */
export function toggled<T>(list: readonly T[], word: T): T[] {
  return list.includes(word) ? list.filter((other) => other !== word) : [...list, word];
}

export function isFiltered(search: FindingsSearch): boolean {
  return [search.result, search.severity, search.category, search.zone, search.q].some((value) => value !== undefined);
}

/** The filters in the form the service takes; the open finding is no filter. */
export function findingsQuery({ result, severity, category, zone, q }: FindingsSearch): Record<string, string> {
  const given = Object.entries({ result, severity, category, zone, q });
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

import { SEVERITIES } from "../../lib/severity";
import { freeText, pickWords } from "../../lib/url";
import { NODE_TYPES } from "../graph/words";

export const MAP_SEVERITIES = [...SEVERITIES, "none"] as const;

/** The filters of the map and its table, and what is open. A filter at its default is undefined and so absent. */
export interface MapSearch {
  node?: string | undefined;
  path?: string | undefined;
  /** Node types that are shown, as a comma list; absent means all. */
  types?: string | undefined;
  severity?: string | undefined;
  zone?: string | undefined;
  q?: string | undefined;
}

const LONGEST_ID = 1000;

export function mapSearch(raw: Record<string, unknown>): MapSearch {
  return {
    node: freeText(raw.node, LONGEST_ID),
    path: freeText(raw.path, 4 * LONGEST_ID),
    types: listParam(pickWords(raw.types, NODE_TYPES), NODE_TYPES),
    severity: listParam(pickWords(raw.severity, MAP_SEVERITIES), MAP_SEVERITIES),
    zone: freeText(raw.zone, 255),
    q: freeText(raw.q, 200),
  };
}

/** All of them, or none, is the default and absent. */
export function listParam<T extends string>(words: readonly T[], vocabulary: readonly T[]): string | undefined {
  if (words.length === vocabulary.length) return undefined;
  return vocabulary.filter((word) => words.includes(word)).join(",") || undefined;
}

import { SEVERITIES } from "../../lib/severity";
import { freeText, pickWords } from "../../lib/url";
import { uuid } from "../drift/search";
import { NODE_TYPES } from "../graph/words";

export const MAP_SEVERITIES = [...SEVERITIES, "none"] as const;
export const HOPS = ["1", "2", "3"] as const;

/** The filters of the map and its table, and what is open. A filter at its default is undefined and so absent. */
export interface MapSearch {
  node?: string | undefined;
  /** Only what is within so many hops of the node; absent means everything. */
  hops?: (typeof HOPS)[number] | undefined;
  path?: string | undefined;
  /** The assessment that this one is compared with: an id, or "before" for the run before it. */
  against?: string | undefined;
  /** Node types that are shown, as a comma list; absent means all. */
  types?: string | undefined;
  severity?: string | undefined;
  zone?: string | undefined;
  q?: string | undefined;
}

const LONGEST_ID = 1000;

export function mapSearch(raw: Record<string, unknown>): MapSearch {
  const node = freeText(raw.node, LONGEST_ID);
  return {
    node,
    hops: node === undefined ? undefined : HOPS.find((hops) => hops === raw.hops),
    path: freeText(raw.path, 4 * LONGEST_ID),
    against: raw.against === "before" ? "before" : uuid(raw.against),
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

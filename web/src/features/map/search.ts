import { SEVERITIES } from "../../lib/severity";
import { chosenParam, freeText, pickWords } from "../../lib/url";
import { uuid } from "../drift/search";
import { NODE_TYPES } from "../graph/words";

export const MAP_SEVERITIES = [...SEVERITIES, "none"] as const;

/** The filters of the map and its table, and what is open. A filter at its default is undefined and so absent. */
export interface MapSearch {
  node?: string | undefined;
  path?: string | undefined;
  /** A type of resources of the account that lie in no zone, shown as a flow. */
  group?: string | undefined;
  /** Only hosts that lead past Cloudflare. */
  direct?: "yes" | undefined;
  /** How many of the riskiest areas are left out. */
  skip?: string | undefined;
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
  const zone = freeText(raw.zone, 255);
  return {
    node: freeText(raw.node, LONGEST_ID),
    path: freeText(raw.path, 4 * LONGEST_ID),
    group: zone === undefined ? NODE_TYPES.find((type) => type === raw.group) : undefined,
    direct: raw.direct === "yes" ? "yes" : undefined,
    skip: /^[1-9]\d{0,5}$/.test(String(raw.skip)) ? String(raw.skip) : undefined,
    against: raw.against === "before" ? "before" : uuid(raw.against),
    types: chosenParam(pickWords(raw.types, NODE_TYPES), NODE_TYPES),
    severity: chosenParam(pickWords(raw.severity, MAP_SEVERITIES), MAP_SEVERITIES),
    zone,
    q: freeText(raw.q, 200),
  };
}

import { SEVERITIES } from "../../lib/severity";
import { freeText, pickWords } from "../../lib/url";

export interface PathsSearch {
  severity?: string | undefined;
  kind?: string | undefined;
  /** Only paths that this node is on. */
  node?: string | undefined;
  q?: string | undefined;
}

const LONGEST_ID = 1000;

export function pathsSearch(raw: Record<string, unknown>): PathsSearch {
  const kind = freeText(raw.kind, 64);
  return {
    severity: pickWords(raw.severity, SEVERITIES)[0],
    kind: kind !== undefined && /^[a-z0-9-]+$/.test(kind) ? kind : undefined,
    node: freeText(raw.node, LONGEST_ID),
    q: freeText(raw.q, 200),
  };
}

import { freeText, pickWords } from "../../lib/url";

export const FRAMEWORKS = ["cis", "soc2", "pci", "nist"] as const;
export type Framework = (typeof FRAMEWORKS)[number];

const SHOWS = ["failed", "gap"] as const;

export interface ComplianceSearch {
  /** "failed": only controls that something speaks against. "gap": only those that were not assessed. */
  show?: (typeof SHOWS)[number] | undefined;
  q?: string | undefined;
}

export function complianceSearch(raw: Record<string, unknown>): ComplianceSearch {
  return { show: pickWords(raw.show, SHOWS)[0], q: freeText(raw.q, 200) };
}

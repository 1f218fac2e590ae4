import { freeText, pickWords } from "../../lib/url";

export const OUTCOMES = ["admitted", "refused", "succeeded", "failed"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface AuditSearch {
  outcome?: Outcome | undefined;
  action?: string | undefined;
}

export function auditSearch(raw: Record<string, unknown>): AuditSearch {
  return { outcome: pickWords(raw.outcome, OUTCOMES)[0], action: freeText(raw.action, 100) };
}

import { freeText, given, pickWords } from "../../lib/url";
import { columnsParam } from "../../ui/column";

export const OUTCOMES = { admitted: "Admitted", refused: "Refused", succeeded: "Succeeded", failed: "Failed" };

export interface AuditSearch {
  outcome?: string | undefined;
  action?: string | undefined;
  actor?: string | undefined;
  columns?: string | undefined;
}

export const NO_FILTER: AuditSearch = { outcome: undefined, action: undefined, actor: undefined };

export function auditSearch(raw: Record<string, unknown>): AuditSearch {
  return {
    outcome: pickWords(raw.outcome, Object.keys(OUTCOMES))[0],
    action: freeText(raw.action, 100),
    actor: freeText(raw.actor, 200),
    columns: columnsParam(raw.columns),
  };
}

/** The filters in the form the service takes. */
export const auditQuery = (search: AuditSearch) => given(search, ["outcome", "action", "actor"]);

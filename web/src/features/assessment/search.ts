import { freeText, given, pickWords } from "../../lib/url";
import { columnsParam } from "../../ui/column";

export const STATUSES = { completed: "Complete", completed_with_gaps: "With gaps" };

export interface AssessmentsSearch {
  status?: string | undefined;
  /** The id of an account at Cloudflare; only where the list is of all accounts. */
  account?: string | undefined;
  columns?: string | undefined;
}

export const NO_FILTER: AssessmentsSearch = { status: undefined, account: undefined };

export function assessmentsSearch(raw: Record<string, unknown>): AssessmentsSearch {
  return {
    status: pickWords(raw.status, Object.keys(STATUSES))[0],
    account: freeText(raw.account, 64),
    columns: columnsParam(raw.columns),
  };
}

/** The filters in the form the service takes. */
export const assessmentsQuery = (search: AssessmentsSearch) => given(search, ["status", "account"]);

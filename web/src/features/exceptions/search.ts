import { freeText, pickWords, sortParam } from "../../lib/url";
import { columnsParam } from "../../ui/column";

export const STATES = { active: "Active", expired: "Expired", revoked: "Revoked" };

/** The orders and what people call them; the first is the default. */
export const SORT_WORDS = { newest: "Newest first", ends: "Ends first", hides: "Hides most" };

export interface ExceptionsSearch {
  state?: string | undefined;
  account?: string | undefined;
  q?: string | undefined;
  sort?: string | undefined;
  columns?: string | undefined;
  /** The only exception that is shown. */
  exception?: string | undefined;
  /** The form for a new one is open. */
  edit?: "new" | undefined;
}

export const NO_FILTER: ExceptionsSearch = {
  state: undefined,
  account: undefined,
  q: undefined,
  exception: undefined,
};

export function exceptionsSearch(raw: Record<string, unknown>): ExceptionsSearch {
  return {
    state: pickWords(raw.state, Object.keys(STATES))[0],
    account: freeText(raw.account, 200),
    q: freeText(raw.q, 200),
    sort: sortParam(raw.sort, Object.keys(SORT_WORDS)),
    columns: columnsParam(raw.columns),
    exception: freeText(raw.exception, 64),
    edit: raw.edit === "new" ? "new" : undefined,
  };
}

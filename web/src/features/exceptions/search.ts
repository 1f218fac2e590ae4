import { freeText, pickWords } from "../../lib/url";

export const STATES = ["active", "expired", "revoked"] as const;

export interface ExceptionsSearch {
  state?: (typeof STATES)[number] | undefined;
  account?: string | undefined;
  q?: string | undefined;
  /** The only exception that is shown. */
  exception?: string | undefined;
  /** The form for a new one is open. */
  edit?: "new" | undefined;
}

export function exceptionsSearch(raw: Record<string, unknown>): ExceptionsSearch {
  return {
    state: pickWords(raw.state, STATES)[0],
    account: freeText(raw.account, 200),
    q: freeText(raw.q, 200),
    exception: freeText(raw.exception, 64),
    edit: raw.edit === "new" ? "new" : undefined,
  };
}

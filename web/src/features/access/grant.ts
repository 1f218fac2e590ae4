import type { Grant } from "../../api/types";
import { listOf } from "../../lib/fieldProblem";

/** A grant while somebody edits it. */
export interface Draft {
  role: Grant["role"];
  everywhere: boolean;
  accounts: readonly string[];
  labels: string;
}

export const BLANK: Draft = { role: "viewer", everywhere: true, accounts: [], labels: "" };

export function draftOf({ role, accounts = [], labels = [] }: Grant): Draft {
  return { role, everywhere: accounts.length + labels.length === 0, accounts, labels: labels.join(", ") };
}

/** What is sent. A grant for some accounts that names none would be one for all, so it is none. */
export function grantOf({ role, everywhere, accounts, labels }: Draft): Grant | undefined {
  if (everywhere) return { role };
  const named = listOf(labels);
  if (accounts.length + named.length === 0) return undefined;
  return { role, ...(accounts.length > 0 && { accounts: [...accounts] }), ...(named.length > 0 && { labels: named }) };
}

import type { Account, Grant, Identity } from "../../api/types";
import { visible } from "../../lib/visible";

/** What people call who is signed in. */
export const whoWord = ({ kind, name, actor }: Identity): string =>
  visible(name || (kind === "root" ? "API key" : actor));

/** What a grant gives, and where. */
export function grantWords({ role, accounts = [], labels = [] }: Grant, known: readonly Account[] = []): string {
  const named = accounts.map((id) => known.find((account) => account.id === id)?.name ?? id);
  const places = [...named, ...labels.map((label) => `accounts labelled ${label}`)];
  return visible(`${role} for ${places.length === 0 ? "all accounts" : places.join(", ")}`);
}

import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import type { Account } from "../../api/types";

export const accountsQuery = queryOptions({
  queryKey: ["accounts"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/accounts", { signal }))).items,
  staleTime: 30_000,
});

/** The word for an account in an address: Cloudflare's id, which assessments carry too. */
export function addressOf({ id, providerId }: Account): string {
  return providerId || id;
}

/** An address below an account, below another word for it. */
export function movedTo(href: string, account: string): string {
  return href.replace(/^\/a\/[^/?#]*/, () => `/a/${encodeURIComponent(account)}`);
}

/** The names of accounts by their words in an address. */
export function accountNames(accounts: readonly Account[] = []): Record<string, string> {
  return Object.fromEntries(accounts.map((account) => [addressOf(account), account.name]));
}

/** The registered account an address names: by an id or, like the API, by its name. */
export function accountOf(accounts: readonly Account[] | undefined, address: string): Account | undefined {
  const by = (named: (account: Account) => boolean) => accounts?.find(named);
  return by(({ id, providerId }) => id === address || providerId === address) ?? by(({ name }) => name === address);
}

/** The labels that accounts have. */
export function labelsOf(accounts: readonly Account[]): string[] {
  return [...new Set(accounts.flatMap(({ labels }) => labels))].sort();
}

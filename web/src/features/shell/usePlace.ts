import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { accountsQuery, addressOf } from "../account/queries";

/** The account and assessment a page is about; elsewhere the only account, or the default one. */
export function usePlace(): { a: string | undefined; r: string; framework: string } {
  const { a, r = "latest", framework = "cis" } = useParams({ strict: false });
  const { data: accounts = [] } = useQuery(accountsQuery);
  const usual = accounts.length === 1 ? accounts[0] : accounts.find((account) => account.default);
  return { a: a ?? (usual && addressOf(usual)), r, framework };
}

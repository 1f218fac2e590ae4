import type { Exception } from "../../api/types";
import type { ExceptionsSearch } from "./search";

/** The exceptions a search leaves, in the order they came. */
export function filtered(all: readonly Exception[], { state, account, q, exception }: ExceptionsSearch): Exception[] {
  const low = q?.toLowerCase();
  return all.filter((each) => {
    const { checkIds = [], resourceIds = [], zones = [], severities = [], pattern = "" } = each.match;
    const text = [each.reason, each.owner, pattern, ...checkIds, ...resourceIds, ...zones, ...severities].join("\n");
    return (
      (state === undefined || each.state === state) &&
      (account === undefined || !each.account || each.account === account) &&
      (exception === undefined || each.id === exception) &&
      (low === undefined || text.toLowerCase().includes(low))
    );
  });
}

/** The findings one hides now as a filter of the list over all accounts; undefined where no filter says the same. */
export function hiddenBy({ match, account }: Exception): Record<string, string> | undefined {
  const { checkIds, resourceIds, zones, severities, pattern } = match;
  if (pattern) return undefined;
  const lists = { check: checkIds, resource: resourceIds, zone: zones, severity: severities };
  const named = Object.entries(lists).flatMap(([name, words]) => (words?.length ? [[name, words.join(",")]] : []));
  const out: Record<string, string> = { ...Object.fromEntries(named), ...(account && { account }), exception: "only" };
  // A list of hundreds does not fit into an address.
  return Object.values(out).join("").length > 1500 ? undefined : out;
}

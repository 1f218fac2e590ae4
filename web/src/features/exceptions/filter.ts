import type { Exception } from "../../api/types";
import type { ExceptionsSearch } from "./search";

/** What never ends comes last. */
const endOf = ({ expiresAt }: Exception) => (expiresAt ? Date.parse(expiresAt) : Number.POSITIVE_INFINITY);

/** Revoked ones and those that ended are over: no order by what comes puts them first. */
const over = ({ state }: Exception) => Number(state !== "active");

const ORDERS: Record<string, (x: Exception, y: Exception) => number> = {
  ends: (x, y) => over(x) - over(y) || (endOf(x) < endOf(y) ? -1 : Number(endOf(x) > endOf(y))),
  hides: (x, y) => y.hides - x.hides,
};

/** The exceptions a search leaves, in its order; without one in the order they came. */
export function filtered(all: readonly Exception[], search: ExceptionsSearch): Exception[] {
  const { state, account, q, exception, sort } = search;
  const low = q?.toLowerCase();
  const left = all.filter((each) => {
    const { checkIds = [], resourceIds = [], zones = [], severities = [], pattern = "" } = each.match;
    const text = [each.reason, each.owner, pattern, ...checkIds, ...resourceIds, ...zones, ...severities].join("\n");
    return (
      (state === undefined || each.state === state) &&
      (account === undefined || !each.account || each.account === account) &&
      (exception === undefined || each.id === exception) &&
      (low === undefined || text.toLowerCase().includes(low))
    );
  });
  return sort === undefined ? left : left.sort(ORDERS[sort]);
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

import type { Exception, ExceptionMatch, Finding } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";

/** Whether a pattern fits a whole text, as the service decides it: * any text, ? one sign, letter case does not matter. */
export function fits(pattern: string, text: string): boolean {
  const p = [...pattern.toLowerCase()];
  const s = [...text.toLowerCase()];
  let at = 0;
  let star = -1;
  let from = 0;
  for (let i = 0; i < s.length; ) {
    if (p[at] === "*") {
      star = at++;
      from = i;
    } else if (at < p.length && (p[at] === "?" || p[at] === s[i])) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++from;
    } else return false;
  }
  return p.slice(at).every((sign) => sign === "*");
}

/** Whether an exception is about a finding of an account. */
export function isAbout({ match, account }: Exception, finding: Finding, accounts: readonly string[]): boolean {
  const { checkIds = [], resourceIds = [], severities = [], zones = [], pattern } = match;
  const { id, name, zone = "", zoneId = "" } = finding.resource;
  const has = (list: readonly string[], word: string) => list.length === 0 || list.includes(word);
  const inZone = (word: string) =>
    (zoneId !== "" && word === zoneId) || (zone !== "" && word.toLowerCase() === zone.toLowerCase());
  return (
    (!account || accounts.includes(account)) &&
    has(checkIds, finding.checkId) &&
    has(resourceIds, id) &&
    has(severities, finding.severity) &&
    (zones.length === 0 || zones.some(inZone)) &&
    (!pattern || fits(pattern, name) || fits(pattern, zone))
  );
}

/** What a match names, in words. */
export function matchWords({
  checkIds = [],
  resourceIds = [],
  severities = [],
  zones = [],
  pattern,
}: ExceptionMatch): string {
  const some = (list: readonly string[], one: string) =>
    list.length <= 3
      ? list.map(visible).join(", ")
      : `${plural(list.length, one)} (${list.slice(0, 2).map(visible).join(", ")}, …)`;
  return [
    checkIds.length > 0 && some(checkIds, "check"),
    severities.length > 0 && `severity ${severities.join(", ")}`,
    zones.length > 0 && `in ${some(zones, "zone")}`,
    resourceIds.length > 0 && `on ${some(resourceIds, "resource")}`,
    pattern && `named ${visible(pattern)}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

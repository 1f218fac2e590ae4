import type { AlertResult, AlertRule } from "../../api/types";
import { plural } from "../../lib/number";
import { severityWord } from "../../lib/severity";
import { visible } from "../../lib/visible";
import { targetWord } from "../delivery/search";

export const EVENTS = ["opened", "worse", "returned", "overdue", "resolved"] as const;

const EVENT_WORDS: Record<string, string> = {
  opened: "new",
  worse: "more severe",
  returned: "no longer accepted",
  overdue: "overdue",
  resolved: "resolved",
};

/** What happened to an issue that is told. */
const eventWord = (event: string): string => EVENT_WORDS[event] ?? event;

/** From which severity on. */
export function leastWords(severity: string): string {
  if (severity === "critical") return "Critical";
  if (severity === "informational") return "Any severity";
  return `${severityWord(severity)} and above`;
}

/** A rule in one sentence: of what, where to, and when. */
export function ruleWords(rule: AlertRule, accountName: (id: string) => string): string {
  const { severity, events, accounts, owners, channel, ownAddress, daily, quiet, timeZone } = rule;
  const of = [leastWords(severity), events.map(eventWord).join(" or ")];
  if (accounts.length > 0) of.push(`in ${accounts.map(accountName).join(" or ")}`);
  if (owners.length > 0) of.push(`owned by ${owners.map((name) => (name === "none" ? "nobody" : name)).join(" or ")}`);
  const to = `${targetWord(channel)}${ownAddress ? " at an address of its own" : ""}`;
  const when = daily ? `daily at ${daily}` : "at once";
  const quietly = [quiet?.from && `${quiet.from}–${quiet.to}`, quiet?.weekends && "at weekends"].filter(Boolean);
  const silent = quiet ? `; quiet ${quietly.join(" and ")}` : "";
  const zone = daily || quiet ? `, ${timeZone}` : "";
  return visible(`${of.join(", ")} → ${to}, ${when}${silent}${zone}`);
}

/** What a test of a rule has sent. */
export function testedWords({ issues }: AlertResult): string {
  return issues === 0
    ? "The test message was sent. No issue that the rule is about is open."
    : `The test message was sent. It tells of ${plural(issues, "issue")}.`;
}

/** The names between commas, each once. */
export function namesOf(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

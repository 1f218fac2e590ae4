import type { Account, Ownership, OwnershipRule } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { accountOf } from "../account/queries";

/** The severities that have a day. */
export const DUE = ["critical", "high", "medium", "low"] as const;

export const PARTS = ["owner", "zone", "category", "account", "label", "severity"] as const;
export type Part = (typeof PARTS)[number];

/** A rule while somebody edits it; its key stays when it moves. */
export type Row = Record<Part, string> & { key: number };
export type Days = Record<(typeof DUE)[number], string>;

export function rowOf(rule: OwnershipRule): Row {
  return { zone: "", category: "", account: "", label: "", severity: "", ...rule, key: Math.random() };
}

export function daysOf({ critical, high, medium, low }: Ownership["sla"]): Days {
  return { critical: String(critical), high: String(high), medium: String(medium), low: String(low) };
}

/** What is sent: what a rule leaves out fits all. */
export function ownershipOf(rows: readonly Row[], days: Days): Omit<Ownership, "revision"> {
  const rules = rows.map((row) => {
    const said = PARTS.map((part) => [part, row[part].trim()]).filter(([, text]) => text !== "");
    return { owner: "", ...Object.fromEntries(said) } as OwnershipRule;
  });
  const [critical, high, medium, low] = DUE.map((severity) => Number(days[severity])) as [
    number,
    number,
    number,
    number,
  ];
  return { rules, sla: { critical, high, medium, low } };
}

/** A rule as a sentence. */
export function ruleWords(
  { owner, zone, category, account, label, severity }: OwnershipRule,
  accounts: readonly Account[] = [],
): string {
  const which = [
    severity ? `${severity} issues` : zone || category || account || label ? "issues" : "every issue",
    category && `of the category ${category}`,
    account && `in the account ${accountOf(accounts, account)?.name ?? account}`,
    label && `in accounts labelled ${label}`,
    zone && `that hit a zone named ${zone}`,
  ];
  return visible(`${owner} owns ${which.filter(Boolean).join(" ")}.`);
}

/** When issues with so many days are due. */
export function dueWords(days: number): string {
  return days === 0 ? "never" : `${plural(days, "day")} after they began`;
}

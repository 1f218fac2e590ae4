import type { Issue } from "../../api/types";
import { visible } from "../../lib/visible";
import type { IssuesSearch, Sort } from "./search";

const EFFORT_WORDS: Record<string, string> = {
  "one-click": "One click",
  settings: "Settings to copy",
  work: "Work by hand",
};

/** What closing an issue takes; an effort this build does not know is shown by its own word. */
export function effortWord(effort: string): string {
  return EFFORT_WORDS[effort] ?? effort;
}

const ORDERS: Record<Sort, (x: Issue, y: Issue) => number> = {
  rank: () => 0,
  resources: (x, y) => y.resources - x.resources,
  paths: (x, y) => y.paths - x.paths,
  oldest: (x, y) => Date.parse(x.firstSeen) - Date.parse(y.firstSeen),
  newest: (x, y) => Date.parse(y.firstSeen) - Date.parse(x.firstSeen),
};

/** Those that fit the filters; equal ones stay in the order of their rank. There is at most one for each check, so the page filters. */
export function listed(issues: readonly Issue[], search: IssuesSearch): Issue[] {
  const words = search.q?.toLowerCase().split(/\s+/) ?? [];
  const severities = search.severity?.split(",");
  const state = search.state ?? "open";
  return issues
    .filter((issue) => {
      const text = `${visible(issue.title)} ${issue.checkId} ${issue.category}`.toLowerCase();
      return (
        words.every((word) => text.includes(word)) &&
        (severities === undefined || severities.includes(issue.severity)) &&
        (search.category === undefined || search.category === issue.category) &&
        (search.effort === undefined || search.effort === issue.effort) &&
        (state === "all" || state === issue.state)
      );
    })
    .sort(ORDERS[search.sort ?? "rank"]);
}

/** How many issues each value of a filter would leave, the others as they are. */
export function countsBy<K extends "severity" | "category" | "effort" | "state">(
  issues: readonly Issue[],
  search: IssuesSearch,
  key: K,
): Map<string, number> {
  const out = new Map<string, number>();
  const others = { ...search, [key]: key === "state" ? "all" : undefined };
  for (const issue of listed(issues, others)) out.set(issue[key], (out.get(issue[key]) ?? 0) + 1);
  return out;
}

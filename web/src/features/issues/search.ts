import { SEVERITIES } from "../../lib/severity";
import { freeText, pickWords } from "../../lib/url";

export const EFFORTS = ["one-click", "settings", "work"] as const;
export const STATES = ["open", "accepted", "all"] as const;
export const SORTS = ["rank", "resources", "paths", "oldest", "newest"] as const;
export type Sort = (typeof SORTS)[number];

/** What narrows and orders the list of issues. A choice at its default is undefined and so absent. */
export interface IssuesSearch {
  q?: string | undefined;
  severity?: string | undefined;
  category?: string | undefined;
  effort?: string | undefined;
  state?: string | undefined;
  sort?: Sort | undefined;
}

export function issuesSearch(raw: Record<string, unknown>): IssuesSearch {
  const state = pickWords(raw.state, STATES)[0];
  const sort = pickWords(raw.sort, SORTS)[0];
  const category = freeText(raw.category, 64);
  return {
    q: freeText(raw.q, 200),
    severity: pickWords(raw.severity, SEVERITIES).join(",") || undefined,
    category: category !== undefined && /^[a-z0-9-]+$/.test(category) ? category : undefined,
    effort: pickWords(raw.effort, EFFORTS)[0],
    state: state === "open" ? undefined : state,
    sort: sort === "rank" ? undefined : sort,
  };
}

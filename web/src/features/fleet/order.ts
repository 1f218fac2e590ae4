import type { Account, AssessmentSummary, Job, Schedule } from "../../api/types";
import { freeText, sortParam } from "../../lib/url";
import { columnsParam } from "../../ui/column";

/** What is known of one account. */
export interface FleetRow {
  account: Account;
  latest: AssessmentSummary | undefined;
  /**
   * The newest run, of an account without an assessment: null where none was started, absent while it is not known.
   * Of others the newest that failed or was cancelled since their assessment, if any.
   */
  attempt: Job | null | undefined;
  /** The run at work and the time of the next: null where there is none, absent while it is not known. */
  job: Job | null | undefined;
  nextRun: string | null | undefined;
}

/** What is known of the token of an account: since its newest run, or since it was registered. */
export const tokenOf = ({ latest, account }: FleetRow) => latest?.tokenInfo ?? account.tokenInfo;

/** The orders and what people call them; the first is the default. */
export const SORT_WORDS = {
  worst: "Worst score first",
  name: "By name",
  newest: "Newest run first",
  oldest: "Oldest run first",
  paths: "Most attack paths first",
};
type Order = keyof typeof SORT_WORDS;

export interface FleetSearch {
  q?: string | undefined;
  sort?: string | undefined;
  columns?: string | undefined;
}

export function fleetSearch(raw: Record<string, unknown>): FleetSearch {
  return {
    q: freeText(raw.q, 200),
    sort: sortParam(raw.sort, Object.keys(SORT_WORDS)),
    columns: columnsParam(raw.columns),
  };
}

/** The accounts whose name or id has the words in it. */
export function found(rows: readonly FleetRow[], q = ""): FleetRow[] {
  const low = q.toLowerCase();
  return rows.filter(({ account: { name, providerId = "" } }) => `${name}\n${providerId}`.toLowerCase().includes(low));
}

/** An account that was never assessed is not a good one: nobody knows. It stands before all that are known. */
const NEVER = -1;

const ranks: Record<Order, (row: FleetRow) => number> = {
  worst: ({ latest }) => latest?.score.value ?? NEVER,
  name: () => 0,
  newest: ({ latest }) => -Date.parse(latest?.completedAt ?? "1970-01-01T00:00:00Z"),
  oldest: ({ latest }) => Date.parse(latest?.completedAt ?? "1970-01-01T00:00:00Z"),
  paths: ({ latest }) => -(latest?.attackPaths ?? 0),
};

/** Whether a run that left no assessment ended after one that is there. */
export const endedAfter = (run: Job, { completedAt }: AssessmentSummary) =>
  Date.parse(run.finishedAt ?? run.createdAt) > Date.parse(completedAt);

export function ordered(rows: readonly FleetRow[], sort: string = "worst"): FleetRow[] {
  const rank = ranks[sort as Order];
  return [...rows].sort((x, y) => rank(x) - rank(y) || x.account.name.localeCompare(y.account.name));
}

/** The next time any schedule of the account is due. */
export function nextRunOf(schedules: readonly Schedule[], accountId: string): string | null {
  const [next = null] = schedules
    .filter((schedule) => schedule.account === accountId && !schedule.paused)
    .flatMap((schedule) => schedule.nextRuns.slice(0, 1))
    .sort();
  return next;
}

import type { Account, AssessmentSummary, Job, Schedule, TrendPoint } from "../../api/types";
import { pickWords } from "../../lib/url";

/** What is known of one account. */
export interface FleetRow {
  account: Account;
  latest: AssessmentSummary | undefined;
  /** The newest runs, oldest first; absent while they are not known. */
  trend: TrendPoint[] | undefined;
  job: Job | undefined;
  nextRun: string | undefined;
}

export const ORDERS = ["worst", "name", "newest", "oldest", "paths"] as const;
export type Order = (typeof ORDERS)[number];

export interface FleetSearch {
  sort?: Order | undefined;
}

export function fleetSearch(raw: Record<string, unknown>): FleetSearch {
  const [sort] = pickWords(raw.sort, ORDERS);
  return { sort: sort === "worst" ? undefined : sort };
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

export function ordered(rows: readonly FleetRow[], order: Order): FleetRow[] {
  const rank = ranks[order];
  return [...rows].sort((x, y) => rank(x) - rank(y) || x.account.name.localeCompare(y.account.name));
}

/** The next time any schedule of the account is due. */
export function nextRunOf(schedules: readonly Schedule[], accountId: string): string | undefined {
  return schedules
    .filter((schedule) => schedule.account === accountId && !schedule.paused)
    .flatMap((schedule) => schedule.nextRuns.slice(0, 1))
    .sort()[0];
}

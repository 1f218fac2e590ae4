import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import { refusedWith } from "../../api/errors";
import type { AssessmentSummary } from "../../api/types";

const RUNS = 20;

/** What is asked of a run to find those before it. */
export type Dated = Pick<AssessmentSummary, "id" | "completedAt">;

/** The run itself is before the instant after it. */
const after = (at: string | number) => new Date(new Date(at).getTime() + 1).toISOString();

/** The runs of an account up to one, oldest first. The last is a part of the key: with another one the line is another. */
export const trendQuery = (account: string, last: Dated | undefined) =>
  queryOptions({
    queryKey: ["assessments", "trend", account, last?.id ?? ""],
    queryFn: async ({ signal }) => {
      const until = after(last?.completedAt ?? "");
      const query = { account, bucket: "run", scope: "all", limit: RUNS, until } as const;
      return (await bodyOf(api.GET("/api/trends", { params: { query }, signal }))).points;
    },
    // Without a run there is no line to ask for.
    enabled: last !== undefined,
    staleTime: 300_000,
  });

/** The run of the whole account that stands for so many days before one, as the service finds it; null where there is none. */
export const runNear = (account: string, { id, completedAt: until }: Dated, ago: number) =>
  queryOptions({
    queryKey: ["assessments", "near", account, id, ago],
    queryFn: async ({ signal }) => {
      try {
        return (
          (await bodyOf(api.GET("/api/trends", { params: { query: { account, until, ago } }, signal }))).points[0] ??
          null
        );
      } catch (error) {
        // There is no whole run at all.
        if (refusedWith(error, 404)) return null;
        throw error;
      }
    },
    staleTime: 300_000,
  });

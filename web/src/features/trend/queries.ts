import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import { asProblem } from "../../api/errors";
import type { AssessmentSummary, TrendPoint } from "../../api/types";
import { nearer } from "./line";

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

const DAY = 86_400_000;

/** Of the runs of the whole account before one, that nearest to so many days earlier; null where there is none. */
export const runNear = (account: string, { id, completedAt }: Dated, days: number) =>
  queryOptions({
    queryKey: ["assessments", "near", account, id, days],
    queryFn: async ({ signal }) => {
      const wholes = async (query: { from?: string; until: string; limit: number }): Promise<TrendPoint[]> => {
        const asked = { account, bucket: "run", scope: "whole", ...query } as const;
        try {
          return (await bodyOf(api.GET("/api/trends", { params: { query: asked }, signal }))).points;
        } catch (error) {
          // There is no whole run at all.
          if (asProblem(error).status === 404) return [];
          throw error;
        }
      };
      const end = Date.parse(completedAt);
      const wanted = end - days * DAY;
      const [older] = await wholes({ until: after(wanted), limit: 1 });
      // Nearer than the older one are only those that came within as long a time.
      const until = older ? Math.min(end, 2 * wanted - Date.parse(older.at)) : end;
      const younger = await wholes({ from: after(wanted), until: new Date(until).toISOString(), limit: 1000 });
      return nearer(older, younger[0], wanted) ?? null;
    },
    staleTime: 300_000,
  });

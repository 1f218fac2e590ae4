import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

const RUNS = 20;

/** The newest runs of an account, oldest first. The newest is a part of the key: with another one the line is another. */
export const trendQuery = (account: string, newest: string | undefined) =>
  queryOptions({
    queryKey: ["assessments", "trend", account, newest ?? ""],
    queryFn: async ({ signal }) => {
      const query = { account, bucket: "run", scope: "all", limit: RUNS } as const;
      return (await bodyOf(api.GET("/api/trends", { params: { query }, signal }))).points;
    },
    // Without a run there is no line to ask for.
    enabled: newest !== undefined,
    staleTime: 300_000,
  });

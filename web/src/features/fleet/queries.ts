import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, bodyOf } from "../../api/client";
import type { AssessmentSummary } from "../../api/types";

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: async ({ signal }) =>
    (await bodyOf(api.GET("/api/schedules", { params: { query: { limit: 1000 } }, signal }))).items,
  staleTime: 30_000,
});

const EVERY = 30_000;

/** The newest assessment of each account, by Cloudflare's id of the account. */
const newestOfEach = queryOptions({
  queryKey: ["assessments", "newest of each"],
  queryFn: async ({ signal }) => {
    const found = new Map<string, AssessmentSummary>();
    let cursor = "";
    do {
      const query = { newest: true, limit: 1000, ...(cursor && { cursor }) };
      const page = await bodyOf(api.GET("/api/assessments", { params: { query }, signal }));
      for (const made of page.assessments) found.set(made.account.id, made);
      cursor = page.nextCursor;
    } while (cursor);
    return found;
  },
  refetchInterval: ({ state }) => state.status === "error" && EVERY,
});

const newestOfAll = queryOptions({
  queryKey: ["assessments", "newest of all"],
  queryFn: async ({ signal }) =>
    (await bodyOf(api.GET("/api/assessments", { params: { query: { limit: 1 } }, signal }))).assessments[0]?.id ?? null,
  refetchInterval: EVERY,
});

/** The newest assessment of each account; asked for anew only when one of them was assessed since. */
export function useNewest() {
  const client = useQueryClient();
  const { data } = useQuery(newestOfAll);
  const last = useRef(data);
  useEffect(() => {
    if (last.current !== undefined && data !== last.current)
      void client.invalidateQueries({ queryKey: newestOfEach.queryKey });
    last.current = data;
  }, [data, client]);
  return useQuery(newestOfEach);
}

import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: ({ signal }) => everyRow((query) => bodyOf(api.GET("/api/schedules", { params: { query }, signal }))),
  staleTime: 30_000,
});

const EVERY = 30_000;

/** The newest assessment of each account, by Cloudflare's id of the account. */
const newestOfEach = queryOptions({
  queryKey: ["assessments", "newest of each"],
  queryFn: async ({ signal }) => {
    const all = await everyRow(async (part) => {
      const query = { newest: true, ...part };
      const page = await bodyOf(api.GET("/api/assessments", { params: { query }, signal }));
      return { items: page.assessments, nextCursor: page.nextCursor };
    });
    return new Map(all.map((made) => [made.account.id, made]));
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

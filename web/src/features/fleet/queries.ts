import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, bodyOf } from "../../api/client";
import type { Account, AssessmentSummary } from "../../api/types";
import { addressOf } from "../account/queries";
import { newestAssessments } from "../assessment/queries";

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: async ({ signal }) =>
    (await bodyOf(api.GET("/api/schedules", { params: { query: { limit: 1000 } }, signal }))).items,
  staleTime: 30_000,
});

const EVERY = 30_000;

/** The newest assessment of an account among many: those that have one are asked again only when there is a newer one. */
export const newestOf = (account: string) =>
  queryOptions({
    ...newestAssessments(account),
    refetchInterval: ({ state }) => (state.status === "error" || state.data?.length === 0) && EVERY,
  });

const lately = queryOptions({
  queryKey: ["assessments", "lately"],
  queryFn: async ({ signal }) =>
    (await bodyOf(api.GET("/api/assessments", { params: { query: { limit: 100 } }, signal }))).assessments,
  refetchInterval: EVERY,
});

/** One request for all accounts tells which of them were assessed since. */
export function useNewer(accounts: readonly Account[]): void {
  const client = useQueryClient();
  const { data } = useQuery(lately);
  const last = useRef<string>(undefined);
  useEffect(() => {
    // More than one answer tells, as after a computer slept.
    const missed = last.current !== undefined && data?.every(({ id }) => id !== last.current);
    last.current = data?.[0]?.id ?? last.current;
    for (const account of accounts) {
      const { queryKey } = newestOf(account.id);
      const [held] = client.getQueryData<AssessmentSummary[]>(queryKey) ?? [];
      const newest = data?.find((made) => made.account.id === addressOf(account));
      if (held && (missed || (newest && newest.completedAt > held.completedAt)))
        void client.invalidateQueries({ queryKey });
    }
  }, [data, accounts, client]);
}

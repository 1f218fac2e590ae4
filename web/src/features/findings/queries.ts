import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { byCursor } from "../../api/byCursor";
import { api, bodyOf } from "../../api/client";
import { refusedWith } from "../../api/errors";
import { everyRow } from "../../api/everyRow";
import type { FindingsPage, Issue } from "../../api/types";
import type { Grouping } from "./search";

const PAGE = 200;

type Query = Record<string, string>;

/** A saved assessment never changes. */
const FOREVER = Number.POSITIVE_INFINITY;

export function findingsPages(assessmentId: string, filter: Query | undefined) {
  return infiniteQueryOptions({
    queryKey: ["findings", assessmentId, filter],
    ...byCursor((part, signal) => {
      const params = { path: { id: assessmentId }, query: { ...filter, limit: PAGE, ...part } };
      return bodyOf(api.GET("/api/assessments/{id}/findings", { params, signal }));
    }),
    enabled: filter !== undefined,
    staleTime: FOREVER,
    // Each further page would be compared with all that came before.
    structuralSharing: false,
    // The rows of the filter before stay, dimmed, until the new ones are there.
    placeholderData: keepPreviousData,
  });
}

/** The worst open finding of a check, for its words. */
export const worstFinding = (assessmentId: string, { checkId: check, worstFindingId }: Issue) =>
  queryOptions({
    queryKey: ["findings", assessmentId, "worst", check, worstFindingId],
    queryFn: async ({ signal }) => {
      const list = async (limit: number) => {
        const params = { path: { id: assessmentId }, query: { check, result: "FAIL,WARNING", limit } };
        return (await bodyOf(api.GET("/api/assessments/{id}/findings", { params, signal }))).items;
      };
      const [first = null] = await list(1);
      if (!worstFindingId || first?.id === worstFindingId) return first;
      return (await list(100)).find(({ id }) => id === worstFindingId) ?? first; // lists go by severity alone
    },
    staleTime: FOREVER,
  });

/** How many open findings of a run had their risk accepted. */
export const acceptedCount = (assessmentId: string) =>
  queryOptions({
    queryKey: ["findings", assessmentId, "accepted"],
    queryFn: async ({ signal }) => {
      const params = {
        path: { id: assessmentId },
        query: { exception: "only", result: "FAIL,WARNING", limit: 1 } as const,
      };
      const { counts } = await bodyOf(api.GET("/api/assessments/{id}/findings", { params, signal }));
      return (counts.FAIL ?? 0) + (counts.WARNING ?? 0);
    },
    staleTime: FOREVER,
  });

/** What each value of each filter would list. */
export const facetsQuery = (assessmentId: string, filter: Query) =>
  queryOptions({
    queryKey: ["findings", assessmentId, "facets", filter],
    queryFn: async ({ signal }) => {
      const query = { ...filter, limit: 1, facets: true };
      const params = { path: { id: assessmentId }, query };
      return (await bodyOf(api.GET("/api/assessments/{id}/findings", { params, signal }))).facets ?? null;
    },
    staleTime: FOREVER,
    placeholderData: keepPreviousData,
  });

export const groupsPages = (assessmentId: string, filter: Query, by: Grouping) =>
  infiniteQueryOptions({
    queryKey: ["findings", assessmentId, "groups", by, filter],
    ...byCursor((part, signal) => {
      const params = { path: { id: assessmentId }, query: { ...filter, by, limit: 100, ...part } };
      return bodyOf(api.GET("/api/assessments/{id}/findings/groups", { params, signal }));
    }),
    staleTime: FOREVER,
    placeholderData: keepPreviousData,
  });

/** Every finding of a run that a filter lists. */
export function everyFinding(id: string, filter: Query, signal: AbortSignal, onCount?: (n: number) => void) {
  return everyRow((part): Promise<FindingsPage> => {
    const params = { path: { id }, query: { ...filter, ...part } };
    return bodyOf(api.GET("/api/assessments/{id}/findings", { params, signal }));
  }, onCount);
}

/** Every finding that a filter lists over all accounts, as they stand now. */
export function everyLatest(filter: Query, signal: AbortSignal, onCount?: (n: number) => void) {
  return everyRow(
    (part) => bodyOf(api.GET("/api/findings", { params: { query: { ...filter, ...part } as object }, signal })),
    onCount,
  );
}

/** Where a finding stands now, and its history; null when no kept run holds it. */
export const findingNow = (findingId: string) =>
  queryOptions({
    queryKey: ["finding", findingId],
    queryFn: async ({ signal }) => {
      try {
        return await bodyOf(api.GET("/api/findings/{id}", { params: { path: { id: findingId } }, signal }));
      } catch (error) {
        if (refusedWith(error, 404, 422)) return null;
        throw error;
      }
    },
  });

/** One finding as a run saw it; null when the run does not hold it. */
export const findingQuery = (assessmentId: string, findingId: string) =>
  queryOptions({
    queryKey: ["findings", assessmentId, "one", findingId],
    queryFn: async ({ client, signal }) => {
      const now = await client.fetchQuery(findingNow(findingId));
      if (now === null) return null;
      const query = { check: now.checkId, resource: now.resource.id, result: "all" };
      const found = await everyFinding(assessmentId, query, signal);
      return found.find((finding) => finding.id === findingId) ?? null;
    },
    staleTime: FOREVER,
  });

/** Findings over all accounts as they stand now. */
export const latestPages = (filter: Query, paused: boolean) =>
  infiniteQueryOptions({
    queryKey: ["latest-findings", filter],
    ...byCursor((part, signal) =>
      bodyOf(api.GET("/api/findings", { params: { query: { ...filter, limit: PAGE, ...part } as object }, signal })),
    ),
    placeholderData: keepPreviousData,
    // Rows do not move under somebody who is choosing among them.
    refetchInterval: paused ? false : 60_000,
    refetchOnWindowFocus: !paused,
    refetchOnReconnect: !paused,
    staleTime: 30_000,
  });

export const checkQuery = (checkId: string) =>
  queryOptions({
    queryKey: ["checks", checkId],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/checks/{id}", { params: { path: { id: checkId } }, signal })),
    staleTime: FOREVER,
  });

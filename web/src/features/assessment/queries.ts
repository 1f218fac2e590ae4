import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { byCursor } from "../../api/byCursor";
import { api, bodyOf } from "../../api/client";

/** The newest assessment of an account, if any, in a few kilobytes: /api/assessment would bring every finding. */
export const newestAssessments = (account: string) =>
  queryOptions({
    queryKey: ["assessments", "newest", account],
    queryFn: async ({ signal }) => {
      const query = { account, limit: 1 };
      return (await bodyOf(api.GET("/api/assessments", { params: { query }, signal }))).assessments;
    },
    refetchInterval: 30_000,
  });

/** The runs that one can switch to. */
export const assessmentRuns = (account: string) =>
  queryOptions({
    queryKey: ["assessments", "switch", account],
    queryFn: async ({ signal }) => {
      const query = { account, limit: 20 };
      return (await bodyOf(api.GET("/api/assessments", { params: { query }, signal }))).assessments;
    },
    staleTime: 30_000,
  });

/** Past assessments, of one account or of all. */
export const allAssessments = (filter: { account?: string; status?: string }) =>
  infiniteQueryOptions({
    queryKey: ["assessments", "list", filter],
    ...byCursor((part, signal) =>
      bodyOf(api.GET("/api/assessments", { params: { query: { limit: 50, ...filter, ...part } }, signal })),
    ),
  });

/** One assessment with the findings that could not be judged only; the grid pages through the others. */
export const assessmentQuery = (id: string) =>
  queryOptions({
    queryKey: ["assessment", id],
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { result: "UNKNOWN" } };
      return bodyOf(api.GET("/api/assessments/{id}", { params, signal }));
    },
    // A saved assessment never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

/**
 * The newest assessment without its findings, or null when there is none. The
 * list answers that in a few kilobytes; /api/assessment brings every finding.
 */
export const latestAssessment = queryOptions({
  queryKey: ["assessments", "latest"],
  queryFn: async ({ signal }) => {
    const page = await bodyOf(api.GET("/api/assessments", { params: { query: { limit: 1 } }, signal }));
    return page.assessments[0] ?? null;
  },
  refetchInterval: 30_000,
});

export const allAssessments = infiniteQueryOptions({
  queryKey: ["assessments", "list"],
  queryFn: ({ pageParam, signal }) => {
    const query = { limit: 50, ...(pageParam !== "" && { cursor: pageParam }) };
    return bodyOf(api.GET("/api/assessments", { params: { query }, signal }));
  },
  initialPageParam: "",
  getNextPageParam: (page) => page.nextCursor || undefined,
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

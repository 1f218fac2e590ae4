import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import { type FindingsSearch, findingsQuery } from "./search";

const PAGE = 200;

export function findingsPages(assessmentId: string, search: FindingsSearch) {
  const filter = findingsQuery(search);
  return infiniteQueryOptions({
    queryKey: ["findings", assessmentId, filter],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) };
      return bodyOf(
        api.GET("/api/assessments/{id}/findings", { params: { path: { id: assessmentId }, query }, signal }),
      );
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor || undefined,
    // A saved assessment never changes.
    staleTime: Number.POSITIVE_INFINITY,
    // The rows of the filter before stay, dimmed, until the new ones are there.
    placeholderData: keepPreviousData,
  });
}

/** One finding that is not among the loaded rows, found in the whole assessment; null when it is not there. */
export const findingQuery = (assessmentId: string, findingId: string) =>
  queryOptions({
    queryKey: ["findings", assessmentId, "one", findingId],
    queryFn: async ({ signal }) => {
      const params = { path: { id: assessmentId }, query: { result: "all" } };
      const assessment = await bodyOf(api.GET("/api/assessments/{id}", { params, signal }));
      return assessment.findings.find((finding) => finding.id === findingId) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const checkQuery = (checkId: string) =>
  queryOptions({
    queryKey: ["checks", checkId],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/checks/{id}", { params: { path: { id: checkId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

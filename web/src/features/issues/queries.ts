import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

/** The issues that are first by rank, for a page that shows no more. */
export const firstIssues = (assessmentId: string, limit: number) =>
  queryOptions({
    queryKey: ["issues", assessmentId, "first", limit],
    queryFn: ({ signal }) => {
      const params = { path: { id: assessmentId }, query: { limit } };
      return bodyOf(api.GET("/api/assessments/{id}/issues", { params, signal }));
    },
  });

/** Every issue of a run, accepted ones too: at most one for each check of the catalogue. */
export const allIssues = (assessmentId: string) =>
  queryOptions({
    queryKey: ["issues", assessmentId, "all"],
    queryFn: async ({ signal }) => {
      const params = { path: { id: assessmentId }, query: { limit: 1000, state: "all" as const } };
      return (await bodyOf(api.GET("/api/assessments/{id}/issues", { params, signal }))).items;
    },
  });

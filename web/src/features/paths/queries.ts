import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

/** The worst attack paths and the changes that break most, without the graph that they are on. */
export const firstPaths = (assessmentId: string, limit: number) =>
  queryOptions({
    queryKey: ["paths", assessmentId, "first", limit],
    queryFn: ({ signal }) => {
      const params = { path: { id: assessmentId }, query: { limit } };
      return bodyOf(api.GET("/api/assessments/{id}/paths", { params, signal }));
    },
    // A saved assessment never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

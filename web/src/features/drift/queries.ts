import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

/** What differs between two assessments, neither of which ever changes. */
export const driftQuery = (baselineId: string, currentId: string) =>
  queryOptions({
    queryKey: ["diff", baselineId, currentId],
    queryFn: ({ signal }) => bodyOf(api.POST("/api/diff", { body: { baselineId, currentId }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

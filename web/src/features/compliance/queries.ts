import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

/** The controls of a framework as a run shows them. A saved run never changes. */
export const complianceQuery = (assessmentId: string, framework: string) =>
  queryOptions({
    queryKey: ["compliance", assessmentId, framework],
    queryFn: ({ signal }) => {
      const params = { path: { framework }, query: { assessmentId } };
      return bodyOf(api.GET("/api/compliance/{framework}", { params, signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

/** Every check of the service; they change with its version only. */
export const checksQuery = queryOptions({
  queryKey: ["checks", "all"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/checks", { signal }))).items,
  staleTime: Number.POSITIVE_INFINITY,
});

import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

/** Saved views of every page. */
export const viewsQuery = queryOptions({
  queryKey: ["views"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/views", { signal }))).items,
  staleTime: 30_000,
});

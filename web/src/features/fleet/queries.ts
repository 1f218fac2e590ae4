import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: async ({ signal }) =>
    (await bodyOf(api.GET("/api/schedules", { params: { query: { limit: 1000 } }, signal }))).items,
  staleTime: 30_000,
});

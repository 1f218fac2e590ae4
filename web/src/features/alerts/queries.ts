import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

export const alertRulesQuery = queryOptions({
  queryKey: ["alert-rules"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/alert-rules", { signal }))).items,
  // A run may have sent or failed to send meanwhile.
  refetchInterval: 30_000,
});

import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/health", { signal })),
});

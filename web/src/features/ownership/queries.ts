import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

export const ownershipQuery = queryOptions({
  queryKey: ["ownership"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/ownership", { signal })),
});

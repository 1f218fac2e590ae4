import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/settings", { signal })),
});

import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

export const peopleQuery = queryOptions({
  queryKey: ["access", "people"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/users", { signal }))).items,
});

export const tokensQuery = queryOptions({
  queryKey: ["access", "tokens"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/service-tokens", { signal }))).items,
});

export const teamsQuery = queryOptions({
  queryKey: ["access", "teams"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/teams", { signal }))).items,
});

import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";

/** All of them, whatever their state: there are few, and what applies to a finding needs each. */
export const exceptionsQuery = queryOptions({
  queryKey: ["exceptions"],
  queryFn: ({ signal }) => everyRow((query) => bodyOf(api.GET("/api/exceptions", { params: { query }, signal }))),
  staleTime: 30_000,
});

/** After a change: what is hidden now is different in every list of now. */
export async function exceptionsChanged(client: QueryClient): Promise<void> {
  await Promise.all(
    ["exceptions", "latest-findings", "finding"].map((key) => client.invalidateQueries({ queryKey: [key] })),
  );
}

/** A key for one thing to make, however often it is asked for. It works without a secure context, unlike randomUUID. */
export function onceKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, "0")).join("");
}

import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { byCursor } from "../../api/byCursor";
import { api, bodyOf } from "../../api/client";

const KEY = ["inbox"];
const MINUTE = 60_000;

/** How many issues have something that the reader has not read. */
export const unreadQuery = queryOptions({
  queryKey: [...KEY, "count"],
  queryFn: async ({ signal }) => {
    const page = await bodyOf(api.GET("/api/inbox", { params: { query: { unread: true, limit: 1 } }, signal }));
    return page.unread;
  },
  refetchInterval: MINUTE,
});

/** The issues that concern the reader, what happened last first. */
export const inboxPages = (unread: boolean) =>
  infiniteQueryOptions({
    queryKey: [...KEY, "list", unread],
    ...byCursor((part, signal) => {
      const query = { limit: 50, ...(unread && { unread }), ...part };
      return bodyOf(api.GET("/api/inbox", { params: { query }, signal }));
    }),
    refetchInterval: MINUTE,
  });

/** Marks issues as read, all without ids; what happened after `until` stays unread. */
export async function markRead(client: QueryClient, body: { issueIds?: string[]; until: string }): Promise<void> {
  await bodyOf(api.POST("/api/inbox/read", { body }));
  await client.invalidateQueries({ queryKey: KEY });
}

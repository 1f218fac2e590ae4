export interface InboxSearch {
  /** Only what is unread. */
  unread?: "yes" | undefined;
}

export function inboxSearch(raw: Record<string, unknown>): InboxSearch {
  return { unread: raw.unread === "yes" ? "yes" : undefined };
}

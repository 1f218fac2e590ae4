/** How a list is asked for page by page: each page but the first by the cursor that came with the one before. */
export function byCursor<Page extends { nextCursor: string }>(
  read: (part: { cursor?: string }, signal: AbortSignal) => Promise<Page>,
) {
  return {
    queryFn: ({ pageParam, signal }: { pageParam: string; signal: AbortSignal }) =>
      read(pageParam === "" ? {} : { cursor: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: (page: Page) => page.nextCursor || undefined,
  };
}

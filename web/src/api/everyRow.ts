const MOST = 1000;

/** Every row of a list, page by page, or an error: a part never passes for the whole. */
export async function everyRow<T>(
  read: (part: { limit: number; cursor?: string }) => Promise<{ items: T[]; nextCursor: string }>,
  onCount: (n: number) => void = () => {},
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor = ""; ; ) {
    const page = await read({ limit: MOST, ...(cursor !== "" && { cursor }) });
    all.push(...page.items);
    onCount(all.length);
    if (page.nextCursor === "") return all;
    cursor = page.nextCursor;
  }
}

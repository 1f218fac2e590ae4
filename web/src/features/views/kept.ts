/** A view that this browser kept before the service did. */
export interface KeptView {
  name: string;
  query: string;
}

const KEY = "edgeposture.findings.views";
const LONGEST_NAME = 60;

type Storage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

/** Reads what this browser keeps; what is broken or refused counts as nothing. */
export function keptViews(storage: () => Storage): KeptView[] {
  try {
    const kept: unknown = JSON.parse(storage().getItem(KEY) ?? "[]");
    if (!Array.isArray(kept)) return [];
    return kept.flatMap((each: unknown) => {
      const { name, query } = (each ?? {}) as Record<string, unknown>;
      if (typeof name !== "string" || typeof query !== "string" || name.trim() === "") return [];
      return [{ name: name.trim().slice(0, LONGEST_NAME), query }];
    });
  } catch {
    return [];
  }
}

/** Sends what this browser keeps and forgets each one the service has; the first that is refused ends it and stays. */
export async function moveViews(storage: () => Storage, send: (view: KeptView) => Promise<unknown>): Promise<void> {
  let left = keptViews(storage);
  for (const view of left) {
    await send(view);
    left = left.filter((other) => other !== view);
    if (left.length > 0) storage().setItem(KEY, JSON.stringify(left));
    else storage().removeItem(KEY);
  }
}

/** Another name for a view whose name is taken: "Mine (2)". */
export function renamed(name: string, n: number): string {
  const end = ` (${n})`;
  return name.slice(0, LONGEST_NAME - end.length).trimEnd() + end;
}

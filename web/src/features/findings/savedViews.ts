import { parseSearch } from "../../lib/url";
import { type FindingsSearch, findingsQuery, findingsSearch } from "./search";

/** A name for an address; what it lists is decided anew each time. */
export interface SavedView {
  name: string;
  query: string;
}

const KEY = "edgeposture.findings.views";
const AT_MOST = 50;
const LONGEST_NAME = 60;

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

/** Reads what this browser keeps; what is broken or refused counts as nothing. */
export function loadViews(storage: () => Storage): SavedView[] {
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

/** Whether the browser kept them. */
export function keepViews(storage: () => Storage, views: readonly SavedView[]): boolean {
  try {
    storage().setItem(KEY, JSON.stringify(views));
    return true;
  } catch {
    return false;
  }
}

/** The newest comes first; one of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  const name = view.name.trim().slice(0, LONGEST_NAME);
  return [{ ...view, name }, ...views.filter((other) => other.name !== name)].slice(0, AT_MOST);
}

/** What of an address a view keeps: filters and grouping, but no open finding. */
export function viewQuery(search: FindingsSearch): string {
  return new URLSearchParams({ ...findingsQuery(search), ...(search.group && { group: search.group }) }).toString();
}

/** A kept query is as foreign as any address. */
export function viewSearch(view: SavedView): FindingsSearch {
  return { ...findingsSearch(parseSearch(view.query)), finding: undefined, in: undefined };
}

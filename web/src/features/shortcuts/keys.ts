import type { LinkProps } from "@tanstack/react-router";

export type Action =
  | "palette"
  | "help"
  | "search"
  | "down"
  | "up"
  | { page: Extract<LinkProps["to"], `/a/$a${string}`> };

interface Shortcut {
  keys: string;
  what: string;
  action: Action;
}

/** Keys without Ctrl or Meta; they can be switched off, because speech input types letters too. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: "?", what: "Show this list", action: "help" },
  { keys: "/", what: "To the search box of the page", action: "search" },
  { keys: "j", what: "Next row", action: "down" },
  { keys: "k", what: "Row before", action: "up" },
  { keys: "g o", what: "Overview", action: { page: "/a/$a" } },
  { keys: "g i", what: "Issues", action: { page: "/a/$a/r/$r/issues" } },
  { keys: "g f", what: "Findings", action: { page: "/a/$a/r/$r/findings" } },
  { keys: "g m", what: "Inventory and map", action: { page: "/a/$a/r/$r/map" } },
  { keys: "g d", what: "Changes", action: { page: "/a/$a/drift" } },
  { keys: "g r", what: "Remediation", action: { page: "/a/$a/r/$r/remediation" } },
];

/** How long the first key of two waits for the second. */
const PATIENCE = 1500;

export interface Heard {
  /** The first key of two, and when it was pressed. */
  first?: { key: string; at: number };
  action?: Action;
}

/** What a key means after those before it. */
export function hear(before: Heard, key: string, at: number): Heard {
  const first = before.first && at - before.first.at <= PATIENCE ? before.first.key : undefined;
  const keys = first === undefined ? key : `${first} ${key}`;
  const found = SHORTCUTS.find((shortcut) => shortcut.keys === keys);
  if (found) return { action: found.action };
  // A wrong second key is not lost: it may mean something by itself.
  if (first !== undefined) return hear({}, key, at);
  return SHORTCUTS.some((shortcut) => shortcut.keys.startsWith(`${key} `)) ? { first: { key, at } } : {};
}

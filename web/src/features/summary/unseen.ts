import type { Assessment } from "../../api/types";
import { visible } from "../../lib/visible";

export interface Unseen {
  why: string;
  results: number;
}

/** A reason without what was read, which differs from result to result and has names and ids of the API. */
function causeOf(permission = "", reason = "No reason was recorded"): string {
  if (reason.includes("may lack")) return `The token may lack ${permission}, or the plan does not include it`;
  if (permission) return `The token lacks ${permission}`;
  const cause = visible(reason)
    .replace(/^\S+ could not be read: /, "")
    .replace(/^\/\S+ got (no usable answer in \d+ tries: .*? to) \/[^\s:]+/, "$1 a read")
    .replace(/\.$/, "");
  return cause.charAt(0).toUpperCase() + cause.slice(1);
}

/** Why results could not be judged, the reason of most first. */
export function unseenOf({ findings }: Pick<Assessment, "findings">): Unseen[] {
  const counts = new Map<string, number>();
  for (const { result, permission, reason } of findings) {
    if (result !== "UNKNOWN") continue;
    const why = causeOf(permission, reason);
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts].map(([why, results]) => ({ why, results })).sort((x, y) => y.results - x.results);
}

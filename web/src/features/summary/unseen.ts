import type { Assessment } from "../../api/types";
import { visible } from "../../lib/visible";

export interface Unseen {
  why: string;
  results: number;
}

/** Why results could not be judged, the reason of most first. */
export function unseenOf({ findings }: Pick<Assessment, "findings">): Unseen[] {
  const counts = new Map<string, number>();
  for (const { result, permission, reason } of findings) {
    if (result !== "UNKNOWN") continue;
    const why = permission ? `The token lacks ${permission}` : visible(reason || "No reason was recorded");
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts].map(([why, results]) => ({ why, results })).sort((x, y) => y.results - x.results);
}

import type { AssessmentSummary } from "../../api/types";

type Zone = AssessmentSummary["zones"][number];
type Scored = Zone & { score: NonNullable<Zone["score"]> };

const SHOWN = 10;

/** The zones with the lowest scores, and how many more have one. Older assessments have none. */
export function worstZones(zones: readonly Zone[]): { rows: Scored[]; more: number } {
  const scored = zones
    .filter((zone): zone is Scored => zone.score != null)
    .sort((a, b) => a.score.value - b.score.value || a.name.localeCompare(b.name));
  return { rows: scored.slice(0, SHOWN), more: Math.max(0, scored.length - SHOWN) };
}

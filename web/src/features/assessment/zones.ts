import type { AssessmentSummary } from "../../api/types";
import { plural } from "../../lib/number";

/** How many zones a run read. Of none, with gaps, nobody knows whether the account has any. */
export function zonesRead({ zones, coverage }: Pick<AssessmentSummary, "zones" | "coverage">): string {
  return zones.length === 0 && coverage.unknown > 0 ? "no zone was read" : plural(zones.length, "zone");
}

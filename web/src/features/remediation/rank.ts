import { SEVERITIES } from "../../lib/severity";

/** The place of a severity, the worst first; an unknown one comes last. */
export function severityRank(severity: string): number {
  const rank = (SEVERITIES as readonly string[]).indexOf(severity);
  return rank < 0 ? SEVERITIES.length : rank;
}

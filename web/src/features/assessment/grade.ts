import type { AssessmentSummary } from "../../api/types";
import { visible } from "../../lib/visible";

type Mark = Pick<AssessmentSummary["score"], "grade" | "held" | "withheld">;

/** Why a grade is held or withheld, or "". Assessments of earlier versions give no reason. */
export function gradeNote(score: Mark): string {
  if (score.held) return visible(score.held);
  return score.grade === null ? visible(score.withheld || "too little could be judged") : "";
}

/** The grade with its note, as in "grade D (held at D by 2 findings)". */
export function gradeWords(score: Mark): string {
  const note = gradeNote(score);
  return (score.grade === null ? "no grade" : `grade ${visible(score.grade)}`) + (note && ` (${note})`);
}

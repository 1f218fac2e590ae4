import { refusedWith } from "../../api/errors";
import type { AssessmentSummary } from "../../api/types";
import { integer } from "../../lib/number";
import { moment } from "../../lib/time";
import { visible } from "../../lib/visible";
import { ErrorPanel } from "../../ui/ErrorPanel";

export type RunChoice = Pick<AssessmentSummary, "id" | "completedAt" | "note"> & { score: { value: number } };

/** The assessments to choose from; a link may have chosen one that is not among them. */
export function RunOptions({ runs, chosen }: { runs: readonly RunChoice[]; chosen: string | undefined }) {
  return (
    <>
      {chosen !== undefined && !runs.some(({ id }) => id === chosen) && <option value={chosen}>{chosen}</option>}
      {runs.map(({ id, completedAt, score, note }) => (
        <option key={id} value={id}>
          {moment(completedAt)}, score {integer(score.value)}
          {note ? `, ${visible(note).slice(0, 60)}` : ""}
        </option>
      ))}
    </>
  );
}

/** Two assessments that are gone, or of two accounts, stay so; anything else is worth another try. */
export function CompareError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const gone = refusedWith(error, 404, 422);
  return (
    <ErrorPanel
      asked
      error={error}
      what={gone ? "These two cannot be compared." : "The assessments could not be compared."}
      onRetry={gone ? undefined : onRetry}
    />
  );
}

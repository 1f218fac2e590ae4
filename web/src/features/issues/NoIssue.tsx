import type { AssessmentSummary } from "../../api/types";
import { plural } from "../../lib/number";
import { Empty } from "../../ui/Empty";

/** Why a run has no issue that is left to do. What failed and is not listed is accepted. */
export function NoIssue({ title, of }: { title: string; of: AssessmentSummary["summary"] }) {
  const accepted = of.fail + of.warning;
  if (accepted > 0)
    return (
      <Empty title="Every open finding is accepted">
        The risk of {plural(accepted, "open finding")} is accepted.
        {of.unknown > 0 && " The rest passed or was not assessed."}
      </Empty>
    );
  return (
    <Empty title={title}>
      {of.unknown > 0
        ? "What could be judged passed; the rest was not assessed."
        : "Every check that was judged passed."}
    </Empty>
  );
}

import type { Assessment } from "../../api/types";
import { plural } from "../../lib/number";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { AbsentChecks } from "./AbsentChecks";
import { absentChecks, type FindingsSearch, isFiltered, NO_FILTER } from "./search";

interface Props {
  assessment: Assessment;
  search: FindingsSearch;
  onChange: (part: FindingsSearch) => void;
}

/** There are different reasons for an empty list, and only one of them is good news. */
export function Nothing({ assessment, search, onChange }: Props) {
  const absent = absentChecks(search.check, assessment.checks);
  if (absent.length > 0) {
    return (
      <AbsentChecks
        ids={absent}
        action={<Button onClick={() => onChange({ check: undefined })}>Show every check</Button>}
      >
        That nothing is listed does not mean that it passed.
      </AbsentChecks>
    );
  }
  if (isFiltered(search)) {
    return (
      <Empty
        title="No finding matches the filters"
        action={<Button onClick={() => onChange(NO_FILTER)}>Clear the filters</Button>}
      >
        The assessment has {plural(assessment.summary.total, "finding")} in all.
      </Empty>
    );
  }
  if (assessment.summary.total === 0) {
    return (
      <Empty title="This assessment judged nothing">
        No check applied to what was in scope, so there is neither a good nor a bad result.
      </Empty>
    );
  }
  return (
    <Empty
      title="No open finding"
      action={<Button onClick={() => onChange({ result: "all" })}>Show what passed</Button>}
    >
      Every check that applied was judged and passed.
    </Empty>
  );
}

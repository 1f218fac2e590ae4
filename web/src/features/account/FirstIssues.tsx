import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { integer } from "../../lib/number";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { IssueTable } from "../issues/IssueTable";
import { NoIssue } from "../issues/NoIssue";
import { firstIssues } from "../issues/queries";

const SHOWN = 6;

/** What to do first, each with the way to its fix. */
export function FirstIssues({ summary }: { summary: AssessmentSummary }) {
  const first = useQuery(firstIssues(summary.id, SHOWN));
  const params = { a: summary.account.id, r: summary.id };
  const all = (
    <Link to="/a/$a/r/$r/issues" params={params}>
      {first.data && first.data.total > 1 ? `All ${integer(first.data.total)} issues` : "All issues"}
    </Link>
  );
  return (
    <Panel title="What to do first" aside={all}>
      <QueryStatus query={first} of="issues" rows={SHOWN} />
      {first.data?.items.length === 0 && <NoIssue title="No check failed" of={summary.summary} />}
      {first.data && first.data.items.length > 0 && <IssueTable assessment={summary} issues={first.data.items} />}
    </Panel>
  );
}

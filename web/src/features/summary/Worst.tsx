import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Assessment, Issue } from "../../api/types";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Panel } from "../../ui/Panel";
import { QueryError, QueryStatus } from "../../ui/QueryStatus";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Skeleton } from "../../ui/Skeleton";
import { worstFinding } from "../findings/queries";
import { NoIssue } from "../issues/NoIssue";
import { firstIssues } from "../issues/queries";
import { effortWord } from "../issues/words";
import styles from "./Summary.module.css";

const SHOWN = 3;

/** The issues to close first, each with what it gives away and what to do. */
export function Worst({ assessment }: { assessment: Assessment }) {
  const first = useQuery(firstIssues(assessment.id, SHOWN));
  const params = { a: assessment.account.id, r: assessment.id };
  return (
    <Panel
      title="Top three risks"
      aside={
        <Link to="/a/$a/r/$r/issues" params={params}>
          {first.data && first.data.total > 1 ? `All ${integer(first.data.total)} issues` : "All issues"}
        </Link>
      }
    >
      <QueryStatus query={first} of="issues" rows={6} />
      {first.data?.items.length === 0 && <NoIssue title="No check failed" of={assessment.summary} />}
      <ol className={styles.worst}>
        {first.data?.items.map((issue) => (
          <One key={issue.id} issue={issue} params={params} />
        ))}
      </ol>
    </Panel>
  );
}

function One({ issue, params }: { issue: Issue; params: { a: string; r: string } }) {
  const worst = useQuery(worstFinding(params.r, issue));
  const finding = worst.data;
  return (
    <li>
      <h3>
        <SeverityBadge severity={issue.severity} />{" "}
        <Link to="/a/$a/r/$r/issues/$check" params={{ ...params, check: issue.checkId }}>
          {visible(issue.title)}
        </Link>
      </h3>
      <p className="muted">{visible(issue.reason)}</p>
      {worst.isPending && <Skeleton label="Loading what it lets someone do" rows={2} />}
      <QueryError query={worst} what="The finding could not be loaded." />
      {finding && (
        <dl className={styles.facts}>
          <dt>What an attacker gets</dt>
          <dd>{visible(finding.impact || finding.why)}</dd>
          <dt>What to do</dt>
          <dd>{finding.fix}</dd>
          <dt>Effort</dt>
          <dd>{effortWord(issue.effort).toLowerCase()}</dd>
        </dl>
      )}
    </li>
  );
}

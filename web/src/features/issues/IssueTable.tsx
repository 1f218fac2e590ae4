import { Link } from "@tanstack/react-router";
import type { AssessmentSummary, Issue } from "../../api/types";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import { SeverityBadge } from "../../ui/SeverityBadge";
import styles from "./Issues.module.css";
import { effortWord } from "./list";

interface Props {
  assessment: Pick<AssessmentSummary, "id" | "account">;
  issues: readonly Issue[];
}

/** Issues as they are ranked, each with why it stands there and the way to its fix. */
export function IssueTable({ assessment, issues }: Props) {
  const params = { a: assessment.account.id, r: assessment.id };
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">Issues</caption>
      <thead>
        <tr>
          <th scope="col" className={styles.rank}>
            <span className="visually-hidden">Rank</span>
          </th>
          <th scope="col">Severity</th>
          <th scope="col" className={styles.what}>
            Issue
          </th>
          <th scope="col" className={styles.number}>
            Resources
          </th>
          <th scope="col" className={styles.number}>
            Paths
          </th>
          <th scope="col">
            <span className="visually-hidden">Fix</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {issues.map((issue) => (
          <tr key={issue.id}>
            <td className={styles.rank}>{`${integer(issue.rank)}.`}</td>
            <td>
              <SeverityBadge severity={issue.severity} />
            </td>
            <td className={styles.what}>
              <Link to="/a/$a/r/$r/issues/$check" params={{ ...params, check: issue.checkId }}>
                {visible(issue.title)}
              </Link>
              <p>
                {visible(issue.reason)}
                {issue.state === "accepted" && " Risk accepted."}
              </p>
            </td>
            <td className={styles.number} data-label={issue.resources === 1 ? "resource" : "resources"}>
              <Link to="/a/$a/r/$r/issues/$check" params={{ ...params, check: issue.checkId }}>
                {integer(issue.resources)}
              </Link>
            </td>
            <td className={styles.number} data-label={issue.paths === 1 ? "path" : "paths"}>
              {issue.paths === 0 ? (
                "none"
              ) : (
                <Link to="/a/$a/r/$r/paths" params={params} search={{ q: issue.checkId }}>
                  {integer(issue.paths)}
                </Link>
              )}
            </td>
            <td className={styles.fix}>
              <FixLink issue={issue} {...params} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** To a plan of exactly this issue where the service makes changes, else to how people close it. */
export function FixLink({ issue, a, r }: { issue: Issue; a: string; r: string }) {
  const { checkId, remediable, state } = issue;
  if (remediable === 0 || state !== "open") {
    return (
      <Link to="/a/$a/r/$r/issues/$check" params={{ a, r, check: checkId }} hash="fix" className={styles.how}>
        {effortWord(issue.effort)}
      </Link>
    );
  }
  return (
    <Link
      to="/a/$a/r/$r/remediation"
      params={{ a, r }}
      search={{ check: checkId, now: "yes" }}
      className={styles.button}
      aria-label={`Fix: ${visible(issue.title)}`}
    >
      Fix
    </Link>
  );
}

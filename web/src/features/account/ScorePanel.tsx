import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { integer, percent, plural } from "../../lib/number";
import { Panel } from "../../ui/Panel";
import { gradeNote } from "../assessment/grade";
import type { FindingsSearch } from "../findings/search";
import styles from "./ScorePanel.module.css";

/** The one finding that holds the grade, opened; of several, those among which they are. */
function holding({ heldBy }: AssessmentSummary["score"]): FindingsSearch {
  const among = { severity: "critical", result: "FAIL,UNKNOWN" };
  return heldBy?.length === 1 ? { ...among, finding: heldBy[0] } : among;
}

export function ScorePanel({ summary }: { summary: AssessmentSummary }) {
  const { score, coverage } = summary;
  const judged = coverage.evaluated > 0;
  const params = { a: summary.account.id, r: summary.id };
  return (
    <Panel title="Score">
      <p className={styles.value}>
        {judged ? (
          <>
            <strong>
              <Link to="/a/$a/r/$r/findings" params={params} search={{ result: "FAIL,WARNING" }}>
                {integer(score.value)}
              </Link>
            </strong>
            <span className={styles.of}>of 100</span>
          </>
        ) : (
          <strong>none</strong>
        )}
        {score.grade !== null && (
          <span className={styles.grade}>
            <span className="visually-hidden">Grade </span>
            {score.grade}
          </span>
        )}
      </p>
      {score.grade === null && <p>No grade: {gradeNote(score)}.</p>}
      {score.held && (
        <p>
          The grade is{" "}
          <Link to="/a/$a/r/$r/findings" params={params} search={holding(score)}>
            {score.held}
          </Link>
          .
        </p>
      )}
      <div className={styles.coverage} aria-hidden="true">
        <div className={styles.judged} style={{ width: `${Math.min(100, Math.max(0, coverage.percent))}%` }} />
      </div>
      <p className="muted">
        {percent(coverage.percent)} could be judged: {plural(coverage.evaluated, "result")}, and{" "}
        <Link to="/a/$a/r/$r/findings" params={params} search={{ result: "UNKNOWN" }}>
          {integer(coverage.unknown)} not assessed
        </Link>
        .
      </p>
    </Panel>
  );
}

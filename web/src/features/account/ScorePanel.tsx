import type { AssessmentSummary } from "../../api/types";
import { integer, percent, plural } from "../../lib/number";
import { Panel } from "../../ui/Panel";
import styles from "./ScorePanel.module.css";

export function ScorePanel({ summary }: { summary: AssessmentSummary }) {
  const { score, coverage } = summary;
  const judged = coverage.evaluated > 0;
  return (
    <Panel title="Score">
      <p className={styles.value}>
        {judged ? (
          <>
            <strong>{integer(score.value)}</strong>
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
      {score.grade === null && <p>No grade: less than half could be judged.</p>}
      <div className={styles.coverage} aria-hidden="true">
        <div className={styles.judged} style={{ width: `${Math.min(100, Math.max(0, coverage.percent))}%` }} />
      </div>
      <p className={styles.muted}>
        {percent(coverage.percent)} could be judged: {plural(coverage.evaluated, "result")}, and{" "}
        {integer(coverage.unknown)} not assessed.
      </p>
    </Panel>
  );
}

import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { plural } from "../../lib/number";
import { Panel } from "../../ui/Panel";
import styles from "./Table.module.css";

type Lift = NonNullable<AssessmentSummary["score"]["lifts"]>["most"][number];

/** What to close first: by points, and by points for each change that the service can make. */
export function Lifts({ summary }: { summary: AssessmentSummary }) {
  const { lifts } = summary.score;
  if (!lifts || lifts.most.length === 0) return null;
  return (
    <Panel title="What lifts the score">
      <List summary={summary} caption="Biggest gain" lifts={lifts.most} />
      {lifts.easiest.length > 0 && (
        <List summary={summary} caption="Biggest gain per fix by plan" lifts={lifts.easiest} />
      )}
    </Panel>
  );
}

function List({ summary, caption, lifts }: { summary: AssessmentSummary; caption: string; lifts: Lift[] }) {
  const params = { a: summary.account.id, r: summary.id };
  return (
    <table className={styles.table}>
      <caption className={styles.muted}>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col" className={styles.number}>
            To close
          </th>
          <th scope="col" className={styles.number}>
            Points
          </th>
        </tr>
      </thead>
      <tbody>
        {lifts.map(({ checkId, checkTitle = checkId, points, findings }) => (
          <tr key={checkId}>
            <td className={styles.cut} title={checkTitle}>
              <Link to="/a/$a/r/$r/findings" params={params} search={{ q: checkId, result: "FAIL,WARNING" }}>
                {checkTitle}
              </Link>
            </td>
            <td className={styles.number}>{plural(findings, "finding")}</td>
            <td className={styles.number}>+{points.toFixed(1)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

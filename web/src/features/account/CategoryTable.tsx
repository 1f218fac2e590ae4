import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { integer } from "../../lib/number";
import { Panel } from "../../ui/Panel";
import styles from "./Table.module.css";

/** Categories with a score, the worst first. */
export function CategoryTable({ summary }: { summary: AssessmentSummary }) {
  const rows = Object.entries(summary.score.byCategory).sort(
    ([a, x], [b, y]) => x.value - y.value || y.fail - x.fail || a.localeCompare(b),
  );
  const params = { a: summary.account.id, r: summary.id };
  return (
    <Panel title="By category">
      {rows.length === 0 ? (
        <p className={styles.muted}>No category could be judged.</p>
      ) : (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Category</th>
              <th scope="col" className={styles.number}>
                Failed
              </th>
              <th scope="col" className={styles.number}>
                Passed
              </th>
              <th scope="col" className={styles.number}>
                Score
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([category, { value, fail, pass }]) => (
              <tr key={category}>
                <td>
                  <Link to="/a/$a/r/$r/findings" params={params} search={{ category }}>
                    {category}
                  </Link>
                </td>
                <td className={styles.number}>
                  <Link to="/a/$a/r/$r/findings" params={params} search={{ category, result: "FAIL,WARNING" }}>
                    {integer(fail)}
                  </Link>
                </td>
                <td className={styles.number}>
                  <Link to="/a/$a/r/$r/findings" params={params} search={{ category, result: "PASS" }}>
                    {integer(pass)}
                  </Link>
                </td>
                <td className={styles.number}>
                  <span className={styles.gauge} aria-hidden="true">
                    <span style={{ width: `${Math.min(100, Math.max(0, value))}%` }} />
                  </span>
                  <Link to="/a/$a/r/$r/findings" params={params} search={{ category, result: "all" }}>
                    {integer(value)}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

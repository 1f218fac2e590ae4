import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { integer } from "../../lib/number";
import { CsvButton } from "../../ui/CsvButton";
import { BarsChart } from "../../ui/chart/Chart";
import type { CsvColumn } from "../../ui/csv";
import { Panel } from "../../ui/Panel";
import styles from "./Table.module.css";

const SHOWN = 10;

/** Categories with a score, the worst first. */
export function CategoryTable({ summary }: { summary: AssessmentSummary }) {
  const rows = Object.entries(summary.score.byCategory).sort(
    ([a, x], [b, y]) => x.value - y.value || y.fail - x.fail || a.localeCompare(b),
  );
  const worst = rows.slice(0, SHOWN);
  return (
    <Panel title="By category" aside={<CsvButton name="categories" columns={CSV} rows={() => rows} />}>
      {rows.length === 0 ? (
        <p className="muted">No category could be judged.</p>
      ) : (
        <BarsChart
          label={`Scores by category, the worst first: ${worst.map(([name, { value }]) => `${name} ${value}`).join(", ")}.`}
          unit="Score, of 100"
          top={100}
          series={[{ name: "Score", colour: "var(--brand)" }]}
          rows={worst.map(([name, { value }]) => ({ id: name, name, values: [value] }))}
          table={<Categories rows={rows} params={{ a: summary.account.id, r: summary.id }} />}
        />
      )}
      {rows.length > SHOWN && (
        <p className="muted">{integer(rows.length - SHOWN)} with better scores are in the table.</p>
      )}
    </Panel>
  );
}

type Rows = [string, AssessmentSummary["score"]["byCategory"][string]][];

const CSV: CsvColumn<Rows[number]>[] = [
  ["category", ([name]) => name],
  ["score", ([, { value }]) => String(value)],
  ["failed", ([, { fail }]) => String(fail)],
  ["passed", ([, { pass }]) => String(pass)],
];

function Categories({ rows, params }: { rows: Rows; params: { a: string; r: string } }) {
  return (
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
              <Link to="/a/$a/r/$r/findings" params={params} search={{ category, result: "all" }}>
                {integer(value)}
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

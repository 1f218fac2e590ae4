import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import { Panel } from "../../ui/Panel";
import { gradeNote } from "../assessment/grade";
import styles from "./Table.module.css";
import { worstZones } from "./zones";

const CSV: CsvColumn<AssessmentSummary["zones"][number]>[] = [
  ["zone", ({ name }) => name],
  ["id", ({ id }) => id],
  ["grade", ({ score }) => score?.grade ?? ""],
  ["score", ({ score }) => (score ? String(score.value) : "")],
];

/** The zones with the lowest scores. */
export function ZoneTable({ summary }: { summary: AssessmentSummary }) {
  const { rows, more } = worstZones(summary.zones);
  const params = { a: summary.account.id, r: summary.id };
  if (rows.length === 0) return null;
  return (
    <Panel title="By zone" aside={<CsvButton name="zones" columns={CSV} rows={() => summary.zones} />}>
      <table className={styles.table} aria-label="Scores by zone">
        <thead>
          <tr>
            <th scope="col">Zone</th>
            <th scope="col">Grade</th>
            <th scope="col" className={styles.number}>
              Score
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, score }) => {
            const findings = (text: string) => (
              <Link to="/a/$a/r/$r/findings" params={params} search={{ zone: name, result: "FAIL,WARNING,UNKNOWN" }}>
                {text}
              </Link>
            );
            return (
              <tr key={id}>
                <td className={styles.cut} title={visible(name)}>
                  {findings(visible(name))}
                </td>
                <td>
                  {score.grade ?? "none"}
                  {gradeNote(score) && <div className={styles.note}>{gradeNote(score)}</div>}
                </td>
                <td className={styles.number}>{findings(integer(score.value))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {more > 0 && <p className="muted">and {integer(more)} with better scores</p>}
    </Panel>
  );
}

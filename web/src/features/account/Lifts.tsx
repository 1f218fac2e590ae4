import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { plural } from "../../lib/number";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import { Panel } from "../../ui/Panel";
import styles from "./Table.module.css";

const GAIN = "Biggest gain";
const GAIN_BY_PLAN = "Biggest gain per fix by plan";

type Lift = NonNullable<AssessmentSummary["score"]["lifts"]>["most"][number];

const CSV: CsvColumn<Lift & { list: string }>[] = [
  ["list", ({ list }) => list],
  ["check", ({ checkId }) => checkId],
  ["title", ({ checkTitle }) => checkTitle ?? ""],
  ["findings", ({ findings }) => String(findings)],
  ["points", ({ points }) => points.toFixed(1)],
];

const rowsOf = ({ most, easiest }: { most: Lift[]; easiest: Lift[] }) => [
  ...most.map((lift) => ({ ...lift, list: GAIN })),
  ...easiest.map((lift) => ({ ...lift, list: GAIN_BY_PLAN })),
];

/** What to close first: by points, and by points for each change that the service can make. */
export function Lifts({ summary }: { summary: AssessmentSummary }) {
  const { lifts } = summary.score;
  if (!lifts || lifts.most.length === 0) return null;
  return (
    <Panel
      title="What lifts the score"
      aside={<CsvButton name="what-lifts-the-score" columns={CSV} rows={() => rowsOf(lifts)} />}
    >
      <List summary={summary} caption={GAIN} lifts={lifts.most} />
      {lifts.easiest.length > 0 && <List summary={summary} caption={GAIN_BY_PLAN} lifts={lifts.easiest} />}
    </Panel>
  );
}

function List({ summary, caption, lifts }: { summary: AssessmentSummary; caption: string; lifts: Lift[] }) {
  const params = { a: summary.account.id, r: summary.id };
  return (
    <table className={styles.table}>
      <caption className="muted">{caption}</caption>
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

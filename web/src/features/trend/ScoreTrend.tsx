import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AssessmentSummary, TrendPoint } from "../../api/types";
import { integer, percent } from "../../lib/number";
import { moment } from "../../lib/time";
import { At } from "../../ui/At";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { Skeleton } from "../../ui/Skeleton";
import table from "../account/Table.module.css";
import { trendQuery } from "./queries";
import { Sparkline } from "./Sparkline";

export function ScoreTrend({ summary }: { summary: AssessmentSummary }) {
  const account = summary.account.id;
  const trend = useQuery(trendQuery(account, summary.id));
  const points = trend.data ?? [];
  return (
    <Panel
      title="Score over time"
      aside={
        <Link to="/a/$a/runs" params={{ a: account }}>
          All runs
        </Link>
      }
    >
      {trend.isPending && <Skeleton label="Loading the scores of the runs" rows={3} />}
      {trend.isError && (
        <ErrorPanel
          error={trend.error}
          what="The scores of the runs could not be loaded."
          onRetry={() => trend.refetch()}
        />
      )}
      {trend.isSuccess && points.length < 2 && (
        <p className={table.muted}>The trend appears after the second assessment.</p>
      )}
      {points.length > 1 && <Line account={account} points={points} />}
    </Panel>
  );
}

function Line({ account, points }: { account: string; points: TrendPoint[] }) {
  const narrowed = points.some(({ partial }) => partial);
  const [first] = points;
  const last = points[points.length - 1];
  return (
    <>
      <Sparkline points={points} />
      <p className={table.muted}>
        {moment(first?.at ?? "")} to {moment(last?.at ?? "")}, from 0 to 100.
        {narrowed && " Hollow: a run of a part of the account, which does not compare."}
      </p>
      <details className={form.details}>
        <summary>The runs as a table</summary>
        <table className={table.table}>
          <caption className="visually-hidden">Scores of the runs, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col" className={table.number}>
                Score
              </th>
              <th scope="col" className={table.number}>
                Coverage
              </th>
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map(({ assessmentId, at, score, coverage, partial }) => (
              <tr key={assessmentId}>
                <td>
                  <Link to="/a/$a/r/$r/findings" params={{ a: account, r: assessmentId }}>
                    <At at={at} />
                  </Link>
                  {partial && " (a part)"}
                </td>
                <td className={table.number}>{integer(score)}</td>
                <td className={table.number}>{percent(coverage)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

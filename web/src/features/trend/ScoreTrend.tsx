import type { AssessmentSummary, TrendPoint } from "../../api/types";
import { integer, percent } from "../../lib/number";
import { RunsChart } from "../../ui/chart/Chart";
import { runsOf, wordsOf } from "./line";
import { HollowNote, RunTable } from "./RunTable";
import { Trend } from "./Trend";

export function ScoreTrend({ summary }: { summary: AssessmentSummary }) {
  return (
    <Trend title="Score over time" summary={summary}>
      {(points) => <Scores account={summary.account.id} points={points} />}
    </Trend>
  );
}

function Scores({ account, points }: { account: string; points: TrendPoint[] }) {
  return (
    <>
      <RunsChart
        kind="line"
        height={190}
        label={wordsOf(points)}
        unit="Score, of 100"
        top={100}
        series={[{ name: "Score", colour: "var(--brand)" }]}
        runs={runsOf(points, ({ score }) => [score])}
        table={
          <RunTable
            caption="Scores of the runs"
            account={account}
            points={points}
            columns={[
              ["Score", ({ score }) => integer(score)],
              ["Grade", ({ grade }) => grade ?? "none"],
              ["Coverage", ({ coverage }) => percent(coverage)],
            ]}
          />
        }
      />
      <HollowNote points={points} />
    </>
  );
}

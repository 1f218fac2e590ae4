import { Link } from "@tanstack/react-router";
import type { AssessmentSummary, TrendPoint } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { RunsChart } from "../../ui/chart/Chart";
import { SeverityShape } from "../../ui/Shape";
import severity from "../account/SeverityPanel.module.css";
import { runsOf } from "./line";
import { HollowNote, RunTable } from "./RunTable";
import { Trend } from "./Trend";

const UNKNOWN = "Not assessed";

const SERIES = [
  ...SEVERITIES.map((one) => ({
    name: severityWord(one),
    colour: `var(--${one === "informational" ? "info" : one})`,
    shape: <SeverityShape severity={one} />,
  })),
  { name: UNKNOWN, colour: "hatch", shape: <span className={severity.swatch} /> },
];

/** How many findings were open in each run, by severity, and on top of them what could not be judged. */
export function FindingsTrend({ summary }: { summary: AssessmentSummary }) {
  return (
    <Trend title="Findings over time" summary={summary}>
      {(points) => <Counts account={summary.account.id} points={points} />}
    </Trend>
  );
}

function Counts({ account, points }: { account: string; points: TrendPoint[] }) {
  return (
    <>
      <RunsChart
        kind="columns"
        height={190}
        label={countWords(points)}
        unit="Open findings"
        series={SERIES}
        runs={runsOf(points, countsOf)}
        table={
          <RunTable
            caption="Open findings of the runs"
            account={account}
            points={points}
            columns={SERIES.map(({ name }, s) => [
              name,
              (point) => (
                <Link
                  to="/a/$a/r/$r/findings"
                  params={{ a: account, r: point.assessmentId }}
                  search={
                    name === UNKNOWN ? { result: "UNKNOWN" } : { severity: SEVERITIES[s], result: "FAIL,WARNING" }
                  }
                >
                  {integer(countsOf(point)[s] ?? 0)}
                </Link>
              ),
            ])}
          />
        }
      />
      <HollowNote points={points} />
    </>
  );
}

function countsOf({ summary }: TrendPoint): number[] {
  return [...SEVERITIES.map((one) => summary.bySeverity[one] ?? 0), summary.unknown];
}

function countWords(points: TrendPoint[]): string {
  const open = ({ summary }: TrendPoint) => summary.fail + summary.warning;
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return "";
  const newest = SERIES.map(({ name }, s) => `${integer(countsOf(last)[s] ?? 0)} ${name.toLowerCase()}`).join(", ");
  return `Open findings of ${plural(points.length, "run")}: first ${integer(open(first))}, newest ${integer(open(last))} (${newest}).`;
}

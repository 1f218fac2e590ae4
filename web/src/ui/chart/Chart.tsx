import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { CsvButton } from "../CsvButton";
import type { CsvColumn } from "../csv";
import form from "../Form.module.css";
import { Skeleton } from "../Skeleton";
import styles from "./Chart.module.css";
import type { BarsProps, Run, RunsProps } from "./data";

/** The library of the charts is not part of the first load. Without it the figures stay, as a table. */
const drawing = <P extends object>(pick: (from: typeof import("./drawings")) => ComponentType<P>) =>
  lazy<ComponentType<P>>(() =>
    import("./drawings").then(
      (all) => ({ default: pick(all) }),
      () => ({ default: Undrawn }),
    ),
  );
const Runs = drawing<RunsProps>((all) => all.Runs);
const Bars = drawing<BarsProps>((all) => all.Bars);

function Undrawn() {
  return <p>The chart could not be loaded; its figures are in the table.</p>;
}

interface Props {
  children: ReactNode;
  /** The same figures. */
  table: ReactNode;
  height: number;
}

function Chart({ children, table, height }: Props) {
  return (
    <figure className={styles.chart}>
      <Suspense
        fallback={
          <div style={{ minHeight: height }}>
            <Skeleton label="Loading the chart" tall rows={1} />
          </div>
        }
      >
        {children}
      </Suspense>
      <details className={form.details}>
        <summary>Show as table</summary>
        {table}
      </details>
    </figure>
  );
}

const nameOf = (unit: string) => `${unit.split(",")[0]?.toLowerCase().replaceAll(" ", "-")}-of-runs`;

const columnsOf = (series: RunsProps["series"]): CsvColumn<Run>[] => [
  ["at", ({ at }) => at],
  ["run", ({ id }) => id],
  ...series.map(({ name }, i): CsvColumn<Run> => [name.toLowerCase(), ({ values }) => String(values[i] ?? "")]),
  ["does_not_compare", ({ hollow }) => hollow ?? ""],
];

/** Runs one after another, as a line over time or as a column for each. */
export function RunsChart({ table, ...runs }: RunsProps & { table: ReactNode }) {
  return (
    <Chart
      table={
        <>
          {table}
          <CsvButton name={nameOf(runs.unit)} columns={columnsOf(runs.series)} rows={() => runs.runs} />
        </>
      }
      height={runs.height}
    >
      <Runs {...runs} />
    </Chart>
  );
}

/** Things beside each other, as a bar for each. */
export function BarsChart({ table, ...bars }: BarsProps & { table: ReactNode }) {
  return (
    <Chart table={table} height={bars.rows.length * 26 + 40}>
      <Bars {...bars} />
    </Chart>
  );
}

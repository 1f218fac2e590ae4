import { AxisBottom, AxisLeft } from "@visx/axis";
import { GridRows } from "@visx/grid";
import { scaleBand, scaleLinear, scaleTime } from "@visx/scale";
import { Bar, LinePath } from "@visx/shape";
import { useId } from "react";
import { integer } from "../../lib/number";
import { moment, tick, utc } from "../../lib/time";
import { useSize } from "../useSize";
import styles from "./Chart.module.css";
import { apart, type Run, type RunsProps, type Series, stacked, stretches } from "./data";
import { AT_LEFT, AXIS, BELOW, EDGE, Hatch, Legend, Note } from "./parts";
import { useCursor } from "./useCursor";

const DAY = 86_400_000;

/** Scores and counts of runs over time, to be read one by one with pointer, finger or arrow keys. */
export function Runs({ label, unit, top, series, runs, height, kind }: RunsProps) {
  const [frame, { width }] = useSize<HTMLDivElement>();
  const hatch = useId();
  const lines = kind === "line";
  const times = runs.map(({ at }) => Date.parse(at));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const ends = [EDGE.left + 8, Math.max(EDGE.left + 9, width - EDGE.right)] as const;
  // Runs of one moment stand in the middle of a day.
  const time = scaleTime({
    domain: last > first ? [first, last] : [first - DAY / 2, last + DAY / 2],
    range: [...ends],
  });
  const band = scaleBand({ domain: runs.map(({ id }) => id), range: [EDGE.left, ends[1]], padding: 0.25 });
  const wide = Math.min(band.bandwidth(), 48);
  const places = runs.map(({ id }, i) => (lines ? time(times[i] ?? 0) : (band(id) ?? 0) + band.bandwidth() / 2));
  const most = top ?? Math.max(1, ...runs.map(({ values }) => values.reduce((sum, one) => sum + one, 0)));
  const y = scaleLinear({
    domain: [0, most],
    range: [height - EDGE.bottom, EDGE.top],
    nice: top === undefined,
  });
  const cursor = useCursor(places);
  const shown = cursor.at === undefined ? undefined : runs[cursor.at];
  const room = Math.max(2, Math.floor((ends[1] - EDGE.left) / 72));
  const each = Math.ceil(runs.length / room);
  const bottom = { ...AXIS, top: height - EDGE.bottom, tickLabelProps: BELOW };
  return (
    <>
      <div ref={frame} className={styles.plot} {...cursor.pointer}>
        {width > 0 && (
          <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
            <g aria-hidden>
              <Hatch id={hatch} />
              <GridRows
                scale={y}
                left={EDGE.left}
                width={ends[1] - EDGE.left}
                numTicks={4}
                stroke="var(--line)"
                pointerEvents="none"
              />
              <text x={0} y={11}>
                {unit}
              </text>
              {cursor.at !== undefined && (
                <line
                  x1={places[cursor.at]}
                  x2={places[cursor.at]}
                  y1={EDGE.top - 6}
                  y2={height - EDGE.bottom}
                  stroke="var(--edge)"
                  strokeDasharray="3 3"
                />
              )}
              {lines ? (
                <Lines series={series} runs={runs} places={places} y={y} at={cursor.at} />
              ) : (
                <Columns series={series} runs={runs} places={places} y={y} wide={wide} hatch={hatch} />
              )}
              <AxisLeft
                {...AXIS}
                scale={y}
                left={EDGE.left}
                numTicks={4}
                tickLabelProps={AT_LEFT}
                hideAxisLine
                hideTicks
              />
              {lines ? (
                <AxisBottom
                  {...bottom}
                  scale={time}
                  tickValues={apart(time.ticks(Math.min(room, 8)), time, (at) => tick(at, last - first), 56)}
                  tickFormat={(at) => tick(at as Date, last - first)}
                />
              ) : (
                <AxisBottom
                  {...bottom}
                  scale={band}
                  tickValues={runs.flatMap(({ id }, i) => ((runs.length - 1 - i) % each === 0 ? [id] : []))}
                  tickFormat={(id) => tick(new Date(times[runs.findIndex((run) => run.id === id)] ?? 0), last - first)}
                />
              )}
            </g>
          </svg>
        )}
        {runs.length > 1 && (
          <input
            type="range"
            aria-label="Read the runs one by one"
            min={0}
            max={runs.length - 1}
            value={cursor.at ?? runs.length - 1}
            aria-valuetext={wordsOf(runs[cursor.at ?? runs.length - 1], series)}
            {...cursor.keys}
          />
        )}
        {shown && (
          <Note left={places[cursor.at ?? 0] ?? 0} width={width}>
            <Reading run={shown} series={series} />
          </Note>
        )}
      </div>
      {series.length > 1 && <Legend series={series} />}
    </>
  );
}

interface Marks extends Pick<RunsProps, "series" | "runs"> {
  /** Where each run stands. */
  places: readonly number[];
  y: (value: number) => number;
}

function Lines({ series, runs, places, y, at }: Marks & { at: number | undefined }) {
  return series.map(({ name, colour }, s) => (
    <g key={name}>
      {stretches(runs).map((stretch) => (
        <LinePath
          key={stretch[0]?.id}
          data={stretch}
          x={(run: Run) => places[runs.indexOf(run)] ?? 0}
          y={(run: Run) => y(run.values[s] ?? 0)}
          stroke={colour}
          strokeWidth={2}
          strokeLinejoin="round"
          fill="none"
        />
      ))}
      {runs.map(({ id, values, hollow }, i) => (
        <circle
          key={id}
          cx={places[i]}
          cy={y(values[s] ?? 0)}
          r={i === at ? 5 : 3.5}
          fill={hollow === undefined ? colour : "var(--bg)"}
          stroke={hollow === undefined ? "var(--bg)" : colour}
          strokeWidth={1.5}
          data-hollow={hollow !== undefined}
        />
      ))}
    </g>
  ));
}

function Columns({ series, runs, places, y, wide, hatch }: Marks & { wide: number; hatch: string }) {
  return runs.map(({ id, values, hollow }, i) =>
    stacked(values).map(([from, to], s) => {
      const { name = "", colour = "" } = series[s] ?? {};
      if (to === from) return null;
      const [fill, edge] = colour === "hatch" ? [`url(#${hatch})`, "var(--hatch)"] : [colour, colour];
      const look =
        hollow === undefined
          ? { fill, stroke: "var(--bg)", strokeWidth: 0.75 }
          : { fill: "var(--bg)", stroke: edge, strokeWidth: 1.25, strokeDasharray: "3 2" };
      return (
        <Bar
          key={`${id} ${name}`}
          x={(places[i] ?? 0) - wide / 2}
          width={wide}
          y={y(to)}
          height={y(from) - y(to)}
          data-hollow={hollow !== undefined}
          {...look}
        />
      );
    }),
  );
}

function Reading({ run, series }: { run: Run; series: readonly Series[] }) {
  return (
    <>
      <strong>{moment(run.at)}</strong>
      <div>{utc(run.at)}</div>
      {series.map((one, s) => (
        <div key={one.name}>
          {one.shape} {one.name} <strong>{integer(run.values[s] ?? 0)}</strong>
        </div>
      ))}
      {run.hollow && <div>Does not compare: {run.hollow}</div>}
    </>
  );
}

/** What a run says, for those who hear the chart. */
function wordsOf(run: Run | undefined, series: readonly Series[]): string {
  if (!run) return "";
  const values = series.map(({ name }, s) => `${name} ${integer(run.values[s] ?? 0)}`);
  return [moment(run.at), ...values, ...(run.hollow ? [`does not compare: ${run.hollow}`] : [])].join(", ");
}

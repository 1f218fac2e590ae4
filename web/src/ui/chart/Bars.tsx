import { AxisBottom, AxisLeft } from "@visx/axis";
import { GridColumns } from "@visx/grid";
import { scaleBand, scaleLinear } from "@visx/scale";
import { Bar } from "@visx/shape";
import { useId } from "react";
import { integer } from "../../lib/number";
import { useSize } from "../useSize";
import styles from "./Chart.module.css";
import { type BarsProps, stacked } from "./data";
import { AT_LEFT, AXIS, BELOW, EDGE, Hatch, Legend, Note } from "./parts";
import { useCursor } from "./useCursor";

const ROW = 26;

/** Bars from the left, each with its name before it and its values behind it. */
export function Bars({ label, unit, top, series, rows }: BarsProps) {
  const [frame, { width }] = useSize<HTMLDivElement>();
  const hatch = useId();
  const left = Math.min(width * 0.4, 16 + 7 * Math.max(...rows.map(({ name }) => name.length)));
  const height = rows.length * ROW + EDGE.bottom + 18;
  const sums = rows.map(({ values }) => values.reduce((sum, one) => sum + one, 0));
  const x = scaleLinear({
    domain: [0, top ?? Math.max(1, ...sums)],
    range: [left, Math.max(left + 1, width - 36)],
  });
  const y = scaleBand({ domain: rows.map(({ id }) => id), range: [0, rows.length * ROW], padding: 0.35 });
  const cursor = useCursor(
    rows.map(({ id }) => (y(id) ?? 0) + y.bandwidth() / 2),
    "y",
  );
  const shown = cursor.at === undefined ? undefined : rows[cursor.at];
  return (
    <>
      <div ref={frame} className={styles.plot} {...cursor.pointer}>
        {width > 0 && (
          <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
            <g aria-hidden>
              <Hatch id={hatch} />
              <GridColumns
                scale={x}
                height={rows.length * ROW}
                numTicks={5}
                stroke="var(--line)"
                pointerEvents="none"
              />
              {rows.map(({ id, values }, i) =>
                stacked(values).map(([from, to], s) =>
                  to === from ? null : (
                    <Bar
                      key={`${id} ${series[s]?.name}`}
                      x={x(from)}
                      width={x(to) - x(from)}
                      y={y(id) ?? 0}
                      height={y.bandwidth()}
                      fill={series[s]?.colour === "hatch" ? `url(#${hatch})` : series[s]?.colour}
                      stroke="var(--bg)"
                      strokeWidth={0.75}
                      opacity={cursor.at === undefined || cursor.at === i ? 1 : 0.6}
                    />
                  ),
                ),
              )}
              {series.length === 1 &&
                rows.map(({ id }, i) => (
                  <text key={id} x={x(sums[i] ?? 0) + 5} y={(y(id) ?? 0) + y.bandwidth() / 2 + 4}>
                    {integer(sums[i] ?? 0)}
                  </text>
                ))}
              <AxisLeft
                {...AXIS}
                scale={y}
                left={left}
                numTicks={rows.length}
                tickFormat={(id) => rows.find((row) => row.id === id)?.name ?? ""}
                tickLabelProps={AT_LEFT}
                hideTicks
              />
              <AxisBottom {...AXIS} scale={x} top={rows.length * ROW} numTicks={5} tickLabelProps={BELOW} />
              <text x={x.range()[1]} y={height - 4} textAnchor="end">
                {unit}
              </text>
            </g>
          </svg>
        )}
        {rows.length > 1 && (
          <input
            type="range"
            aria-label="Read the bars one by one"
            min={0}
            max={rows.length - 1}
            value={cursor.at ?? 0}
            aria-valuetext={[
              rows[cursor.at ?? 0]?.name,
              ...series.map(({ name }, s) => `${name} ${integer(rows[cursor.at ?? 0]?.values[s] ?? 0)}`),
            ].join(", ")}
            {...cursor.keys}
          />
        )}
        {shown && series.length > 1 && (
          <Note left={x(sums[cursor.at ?? 0] ?? 0)} width={width} top={(cursor.at ?? 0) * ROW}>
            <strong>{shown.name}</strong>
            {series.map((one, s) => (
              <div key={one.name}>
                {one.shape} {one.name} <strong>{integer(shown.values[s] ?? 0)}</strong>
              </div>
            ))}
          </Note>
        )}
      </div>
      {series.length > 1 && <Legend series={series} />}
    </>
  );
}

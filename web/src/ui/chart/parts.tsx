import type { ReactNode } from "react";
import styles from "./Chart.module.css";
import type { Series } from "./data";

/** Room around a drawing for its axes. */
export const EDGE = { top: 22, right: 14, bottom: 24, left: 38 };

/** Lines and texts of an axis, in the colours of the page. */
export const AXIS = { stroke: "var(--edge)", tickStroke: "var(--edge)", tickLength: 4 };
export const AT_LEFT = { dx: -3, dy: 4, textAnchor: "end" } as const;
export const BELOW = { dy: 3, textAnchor: "middle" } as const;

/** What was not assessed is hatched, as everywhere. */
export function Hatch({ id }: { id: string }) {
  return (
    <pattern id={id} width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width={2} height={5} fill="var(--hatch)" />
    </pattern>
  );
}

/** Beside the cursor, on the side that has the room. Its words are those of the control that has the focus. */
export function Note({
  left,
  width,
  top,
  children,
}: {
  left: number;
  width: number;
  top?: number;
  children: ReactNode;
}) {
  const style = left > width / 2 ? { right: Math.max(0, width - left + 10) } : { left: left + 10 };
  return (
    <div className={styles.note} style={{ ...style, ...(top !== undefined && { top }) }} aria-hidden>
      {children}
    </div>
  );
}

export function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className={styles.legend}>
      {series.map(({ name, shape }) => (
        <li key={name}>
          {shape}
          {name}
        </li>
      ))}
    </ul>
  );
}

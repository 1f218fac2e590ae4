import type { TrendPoint } from "../../api/types";
import { marksOf, wordsOf } from "./line";
import styles from "./Sparkline.module.css";

interface Props {
  points: readonly TrendPoint[];
  width?: number;
  height?: number;
}

/** Scores of runs as a line. Narrowed runs are hollow and beside it, because they do not compare. */
export function Sparkline({ points, width = 200, height = 56 }: Props) {
  const marks = marksOf(points, width, height);
  const whole = marks.filter(({ partial }) => !partial);
  return (
    <svg className={styles.line} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={wordsOf(points)}>
      <polyline points={whole.map(({ x, y }) => `${x},${y}`).join(" ")} />
      {marks.map(({ x, y, partial }) => (
        <circle key={x} cx={x} cy={y} r={partial ? 3 : 2.5} className={partial ? styles.partial : styles.whole} />
      ))}
    </svg>
  );
}

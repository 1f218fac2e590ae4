import type { TrendPoint } from "../../api/types";
import { marksOf, WIDTH, wordsOf } from "./line";
import styles from "./Sparkline.module.css";

/** Scores of runs as a line. Narrowed runs are hollow and beside it, because they do not compare. */
export function Sparkline({ points, height = 56 }: { points: readonly TrendPoint[]; height?: number }) {
  const marks = marksOf(points, height);
  const whole = marks.filter(({ partial }) => !partial);
  return (
    <svg className={styles.line} viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={wordsOf(points)}>
      <polyline points={whole.map(({ x, y }) => `${x},${y}`).join(" ")} />
      {marks.map(({ x, y, partial }) => (
        <circle key={x} cx={x} cy={y} r={partial ? 3 : 2.5} className={partial ? styles.partial : styles.whole} />
      ))}
    </svg>
  );
}

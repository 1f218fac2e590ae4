import type { TrendPoint } from "../../api/types";
import { marksOf, wordsOf } from "./line";
import styles from "./Sparkline.module.css";

interface Props {
  points: readonly TrendPoint[];
  width: number;
  height: number;
}

/** Scores of runs as small as a word. Runs that do not compare are hollow, and the line has a gap there. */
export function Sparkline({ points, width, height }: Props) {
  const marks = marksOf(points, width, height);
  const line = marks.map(({ x, y, hollow }, i) =>
    hollow ? "" : `${i > 0 && marks[i - 1]?.hollow === false ? "L" : "M"}${x} ${y}`,
  );
  return (
    <svg className={styles.line} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={wordsOf(points)}>
      <path d={line.join("")} />
      {marks.map(({ id, x, y, hollow }) => (
        <circle key={id} cx={x} cy={y} r={hollow ? 3 : 2.5} className={hollow ? styles.partial : styles.whole} />
      ))}
    </svg>
  );
}

import { plural } from "../../lib/number";
import { useCalm } from "../../lib/useCalm";
import styles from "./Findings.module.css";

/** How many match, seen and heard: while somebody types, the last count of each second. */
export function Matches({ total }: { total: number | undefined }) {
  const words = total === undefined ? "" : plural(total, "finding");
  const spoken = useCalm(words, 1000);
  return (
    <p className={styles.matches}>
      <span aria-hidden>{words || "\u00a0"}</span>
      <span className="visually-hidden" role="status">
        {spoken}
      </span>
    </p>
  );
}

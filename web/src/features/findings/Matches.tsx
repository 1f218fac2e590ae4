import { plural } from "../../lib/number";
import { useCalm } from "../../lib/useCalm";
import styles from "./Findings.module.css";

/** How many match, seen and (calmly) heard. */
export function Matches({ total }: { total: number | undefined }) {
  const words = total === undefined ? "" : plural(total, "finding");
  const spoken = useCalm(words);
  return (
    <p className={styles.matches}>
      <span>{words || "\u00a0"}</span>
      <span className="visually-hidden" role="status">
        {spoken}
      </span>
    </p>
  );
}

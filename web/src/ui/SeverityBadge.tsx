import { severityWord } from "../lib/severity";
import styles from "./Severity.module.css";
import { SeverityShape } from "./Shape";

export function SeverityBadge({ severity }: { severity: string }) {
  return (
    <span className={`${styles.badge} ${styles[severity] ?? styles.informational}`}>
      <SeverityShape severity={severity} />
      {severityWord(severity)}
    </span>
  );
}

import { type Shape as Name, severityShape } from "../lib/severity";
import styles from "./Severity.module.css";

const PATHS: Record<Name, string> = {
  octagon: "M4 0.5h4L11.5 4v4L8 11.5H4L0.5 8V4Z",
  triangle: "M6 0.5 11.8 11H0.2Z",
  diamond: "M6 0 12 6 6 12 0 6Z",
  circle: "M6 1a5 5 0 1 1 0 10A5 5 0 1 1 6 1Z",
  bar: "M1 4.5h10v3H1Z",
};

/** The second of the three ways a severity is told: colour, shape, word. */
export function SeverityShape({ severity }: { severity: string }) {
  return (
    <svg
      className={`${styles.shape} ${styles[severity] ?? styles.informational}`}
      viewBox="0 0 12 12"
      aria-hidden="true"
    >
      <path d={PATHS[severityShape(severity)]} />
    </svg>
  );
}

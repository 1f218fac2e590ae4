import { type Shape as Name, severityShape } from "../lib/severity";
import styles from "./Severity.module.css";

const PATHS: Record<Name, string> = {
  // The cut keeps the octagon from passing for a circle at this size.
  octagon: "M3.6 0h4.8L12 3.6v4.8L8.4 12H3.6L0 8.4V3.6ZM2.6 4.9v2.2h6.8V4.9Z",
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
      <path fillRule="evenodd" d={PATHS[severityShape(severity)]} />
    </svg>
  );
}

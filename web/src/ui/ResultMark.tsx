import { resultWord } from "../lib/result";
import styles from "./ResultMark.module.css";

const PATHS: Record<string, string> = {
  FAIL: "M2 2l8 8M10 2l-8 8",
  WARNING: "M6 1.5v6M6 10v.8",
  PASS: "M1.5 6.5 4.5 9.5 10.5 2.5",
  NOT_APPLICABLE: "M2 6h8",
};

/** A verdict by sign and word. It has no colour: colour belongs to severity. */
export function ResultMark({ result }: { result: string }) {
  return (
    <span className={result === "PASS" || result === "NOT_APPLICABLE" ? styles.calm : styles.mark}>
      <svg viewBox="0 0 12 12" className={styles.sign} aria-hidden="true">
        {PATHS[result] ? <path d={PATHS[result]} /> : <circle cx="6" cy="6" r="4.5" strokeDasharray="2.4 2.3" />}
      </svg>
      {resultWord(result)}
    </span>
  );
}

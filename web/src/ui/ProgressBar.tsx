import styles from "./ProgressBar.module.css";

interface Props {
  label: string;
  /** What a screen reader says for the value. */
  words: string;
  /** Percent; without one there is no value: an invented one would look like progress. */
  value: number | undefined;
  paused?: boolean;
}

export function ProgressBar({ label, words, value, paused }: Props) {
  const known = value !== undefined;
  return (
    <div
      className={`${styles.bar} ${paused ? styles.paused : ""}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(known && { "aria-valuenow": Math.floor(value) })}
      aria-valuetext={words}
    >
      <div className={known ? styles.fill : styles.unknown} style={known ? { width: `${value}%` } : undefined} />
    </div>
  );
}

import styles from "./Skeleton.module.css";

interface Props {
  /** What is loading, for those who do not see the shape. */
  label: string;
  rows?: number;
  tall?: boolean;
}

/**
 * The shape of what comes. It appears after 150 ms only, so that a quick answer does not flash, and says after ten
 * seconds that it waits.
 */
export function Skeleton({ label, rows = 3, tall = false }: Props) {
  return (
    <div className={styles.skeleton} role="status">
      <span className="visually-hidden">{label}</span>
      <span className={styles.long}>The service has not answered yet; this goes on when it does.</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move
        <div key={row} className={tall ? styles.block : styles.row} />
      ))}
    </div>
  );
}

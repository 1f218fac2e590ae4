import styles from "./Map.module.css";

/** As the canvas draws it: a plus in a ring for new or worse findings, a check in a ring for fixed ones. */
export function ChangeMark({ kind }: { kind: "worse" | "fixed" }) {
  return (
    <svg className={styles.mark} viewBox="0 0 12 12" aria-hidden="true">
      <circle cx="6" cy="6" r="5.2" />
      <path d={kind === "worse" ? "M6 3.2v5.6M3.2 6h5.6" : "M3.4 6.2 5.2 8 8.6 4.2"} />
    </svg>
  );
}

import type { ReactNode } from "react";
import styles from "./Banner.module.css";

interface Props {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  /** A gap is hatched, as everywhere that something was not assessed. */
  look?: "plain" | "gap";
}

export function Banner({ title, children, actions, look = "plain" }: Props) {
  return (
    <section className={`${styles.banner} ${styles[look]}`} aria-label={title}>
      <div className={styles.text}>
        <strong>{title}</strong> {children}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </section>
  );
}

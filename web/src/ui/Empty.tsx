import type { ReactNode } from "react";
import styles from "./Empty.module.css";

/** An empty view says which emptiness it is and offers one way on. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children && <p className={styles.text}>{children}</p>}
      {action}
    </div>
  );
}

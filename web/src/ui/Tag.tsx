import type { ReactNode } from "react";
import styles from "./DataTable.module.css";

/** A word beside a name, which who hears or copies the two does not take for one word. */
export function Tag({ children }: { children: ReactNode }) {
  return (
    <>
      {" "}
      <span className={styles.tag}>{children}</span>
    </>
  );
}

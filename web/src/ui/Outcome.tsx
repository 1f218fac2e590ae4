import type { ReactNode } from "react";
import styles from "./Outcome.module.css";

/** What was worked out, in one sentence above the details; it is read out once it is there. */
export function Outcome({ children }: { children: ReactNode }) {
  return (
    <p className={styles.outcome} role="status">
      {children}
    </p>
  );
}

/** The class of a panel whose words come from strangers, so that long ones break. */
export const outcomePanel = styles.panel;

import type { ReactNode } from "react";
import styles from "./PageHead.module.css";

interface Props {
  title: string;
  /** The line under the title. */
  children?: ReactNode;
  actions?: ReactNode;
}

export function PageHead({ title, children, actions }: Props) {
  return (
    <header className={styles.head}>
      <h1>{title}</h1>
      {children && <p className={styles.sub}>{children}</p>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}

import { type ReactNode, useId } from "react";
import styles from "./Panel.module.css";

interface Props {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
  className?: string | undefined;
}

export function Panel({ title, aside, children, className = "" }: Props) {
  const id = useId();
  return (
    <section className={`${styles.panel} ${className}`} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

import { type ReactNode, useId } from "react";
import styles from "./Panel.module.css";

interface Props {
  title: string;
  id?: string;
  aside?: ReactNode;
  children: ReactNode;
  className?: string | undefined;
}

export function Panel({ title, id: address, aside, children, className = "" }: Props) {
  const id = useId();
  return (
    <section id={address} className={`${styles.panel} ${className}`} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

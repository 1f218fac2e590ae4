import type { ReactNode } from "react";
import styles from "./DataTable.module.css";

interface Props {
  caption: string;
  columns: readonly string[];
  /** The rows, whose cells name their column in data-label. */
  children: ReactNode;
}

/** A table with the same columns for everybody; where there is no room for columns, a list of named values. */
export function PlainTable({ caption, columns, children }: Props) {
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

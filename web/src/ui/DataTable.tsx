import type { Table } from "@tanstack/react-table";
import styles from "./DataTable.module.css";
import { ariaSort, ColumnHead } from "./SortTool";

interface Props<T> {
  caption: string;
  table: Table<T>;
  rowKey: (row: T) => string;
  /** How many rows are drawn; absent: all. */
  most?: number;
  /** The rows are those of the choice before, until the new ones are here. */
  busy?: boolean;
}

/** The names of the columns that are shown. */
export function TableHead<T>({ table, rowIndex }: { table: Table<T>; rowIndex?: number }) {
  return (
    <thead>
      <tr aria-rowindex={rowIndex}>
        {table.getVisibleLeafColumns().map((column) => (
          <th key={column.id} scope="col" className={column.columnDef.meta?.of.className} aria-sort={ariaSort(column)}>
            <ColumnHead column={column} />
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A table whose columns people choose and sort by; where there is no room for columns, a list of named values. */
export function DataTable<T>({ caption, table, rowKey, most, busy = false }: Props<T>) {
  return (
    <div className={styles.frame} aria-busy={busy}>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        <TableHead table={table} />
        <tbody>
          {table
            .getRowModel()
            .rows.slice(0, most)
            .map((row) => (
              <tr key={rowKey(row.original)}>
                {row.getVisibleCells().map(({ id, column }) => (
                  <td
                    key={id}
                    className={column.columnDef.meta?.of.className}
                    data-label={column.columnDef.meta?.of.name}
                  >
                    {column.columnDef.meta?.of.cell(row.original)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

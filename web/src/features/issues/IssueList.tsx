import type { Table } from "@tanstack/react-table";
import { useState } from "react";
import type { Issue } from "../../api/types";
import { plural } from "../../lib/number";
import { usePrinting } from "../../lib/usePrinting";
import { TableHead } from "../../ui/DataTable";
import { useWindowRows } from "../../ui/useWindowRows";
import styles from "./Issues.module.css";

interface Props {
  table: Table<Issue>;
  /** How many fit, loaded or not. */
  total: number;
  onNearEnd: () => void;
}

const ROW = 60;
const NEAR_END = 20;

/** The issues in view, of any number. */
export function IssueList({ table, total, onNearEnd }: Props) {
  const rows = table.getRowModel().rows;
  const [focused, setFocused] = useState(-1);
  const { body, scrollMargin, virtualizer } = useWindowRows<HTMLTableSectionElement>({
    count: rows.length,
    height: ROW,
    kept: focused,
    ahead: NEAR_END,
    onNearEnd,
  });
  const printing = usePrinting();
  const end = virtualizer.getTotalSize();
  const inView = printing
    ? rows.map((_, index) => ({ index, start: 0, end: 0 }))
    : virtualizer.getVirtualItems().map((one) => ({
        index: one.index,
        start: one.start - scrollMargin,
        end: one.end - scrollMargin,
      }));
  const columns = table.getVisibleLeafColumns();
  const gap = (from: number, to: number) =>
    !printing &&
    to - from > 1 && (
      // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row that holds the place of others has no focus
      <tr key={`gap-${from}`} aria-hidden="true" className={styles.gap} style={{ height: to - from }}>
        <td colSpan={columns.length} />
      </tr>
    );
  return (
    <>
      <table className={styles.table} aria-rowcount={total + 1}>
        <caption className="visually-hidden">Issues</caption>
        <TableHead table={table} rowIndex={1} />
        <tbody
          ref={body}
          onFocus={({ target }) => setFocused(Number(target.closest("tr")?.dataset.index ?? -1))}
          onBlur={() => setFocused(-1)}
        >
          {inView.flatMap(({ index, start, end: until }, at) => {
            const row = rows[index];
            if (!row) return [];
            return [
              gap(inView[at - 1]?.end ?? 0, start),
              <tr key={row.original.id} ref={virtualizer.measureElement} data-index={index} aria-rowindex={index + 2}>
                {row.getVisibleCells().map(({ id, column }) => (
                  <td
                    key={id}
                    className={column.columnDef.meta?.of.className}
                    data-label={column.columnDef.meta?.of.label?.(row.original)}
                  >
                    {column.columnDef.meta?.of.cell(row.original)}
                  </td>
                ))}
              </tr>,
              at === inView.length - 1 && gap(until, end),
            ];
          })}
        </tbody>
      </table>
      {printing && total > rows.length && (
        <p className="on-paper">{plural(total - rows.length, "more issue")} not loaded, and so not printed.</p>
      )}
    </>
  );
}

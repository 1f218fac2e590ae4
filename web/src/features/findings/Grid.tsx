import { createRow, type Table, type Column as TableColumn } from "@tanstack/react-table";
import { type CSSProperties, type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { Finding } from "../../api/types";
import { plural } from "../../lib/number";
import { rem } from "../../lib/rem";
import { useMedia } from "../../lib/useMedia";
import { usePrinting } from "../../lib/usePrinting";
import data from "../../ui/DataTable.module.css";
import { ariaSort, ColumnHead } from "../../ui/SortTool";
import { useWindowRows } from "../../ui/useWindowRows";
import styles from "./Grid.module.css";
import { GridRow } from "./GridRow";
import { type Selection, selectable } from "./selection";

interface Props {
  ref: Ref<HTMLDivElement | null>;
  /** The columns; it holds no rows, for one of them takes more memory than the finding it shows. */
  table: Table<Finding>;
  /** The findings that are loaded. */
  items: readonly Finding[];
  /** Rows that match, loaded or not; -1 when nobody counted them. */
  total: number;
  active: number;
  opened: string | undefined;
  selection: Selection;
  onMove: (index: number) => void;
  onOpen: (index: number) => void;
  /** Turns a row over, with the rows since the one turned over last when it is a range. */
  onSelect: (index: number, range: boolean) => void;
  onSelectAll: (on: boolean) => void;
  onNearEnd: () => void;
}

const widthOf = (column: TableColumn<Finding>) => column.columnDef.meta?.of.width ?? "minmax(0, 1fr)";

/** Heights of a row, in rem. */
const ROW = 2;
/** Too narrow for columns: severity and result above, the message below. */
const NARROW_ROW = 4.75;
const NARROW_ROW_OF_ACCOUNT = 6;
const NEAR_END = 40;

/**
 * The rows in view, of any number. The grid is one tab stop: focus stays on it
 * and aria-activedescendant names the row, so that scrolling a row away does
 * not lose the place.
 */
export function Grid(props: Props) {
  const { ref, table, items, total, active, opened, selection, onMove, onOpen, onSelect, onSelectAll, onNearEnd } =
    props;
  const columns = table.getVisibleLeafColumns();
  const account = columns.some(({ id }) => id === "account");
  const box = useRef<HTMLDivElement>(null);
  useImperativeHandle<HTMLDivElement | null, HTMLDivElement | null>(ref, () => box.current, []);
  const narrow = useMedia("(max-width: 56.25em)");
  const height = rem(narrow ? (account ? NARROW_ROW_OF_ACCOUNT : NARROW_ROW) : ROW);
  const choosable = items.filter(selectable);
  const every = choosable.length > 0 && choosable.every(({ id }) => selection.has(id));

  const { body, scrollMargin, virtualizer } = useWindowRows<HTMLDivElement>({
    count: items.length,
    height,
    kept: active, // the grid refers to it
    ahead: NEAR_END,
    onNearEnd,
  });
  useEffect(() => {
    // Named as a dependency: a new height makes every measured position wrong.
    if (height > 0) virtualizer.measure();
  }, [height, virtualizer]);

  const printing = usePrinting();
  const rows = printing ? items.map((_, index) => ({ index, start: 0 })) : virtualizer.getVirtualItems();

  const shown = opened !== undefined && items[active]?.id === opened ? active : undefined;
  useEffect(() => {
    if (shown !== undefined) virtualizer.scrollToIndex(shown, { align: "auto" });
  }, [shown, virtualizer]);

  const go = (index: number) => {
    const next = Math.min(items.length - 1, Math.max(0, index));
    onMove(next);
    virtualizer.scrollToIndex(next, { align: "auto" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== box.current) return;
    const page = Math.max(1, Math.floor(window.innerHeight / height) - 4);
    const target = {
      j: active + 1,
      ArrowDown: active + 1,
      k: active - 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (target !== undefined) go(target);
    else if (event.key === "Enter") onOpen(active);
    else if (event.key === " " || event.key === "x" || event.key === "X") onSelect(active, event.shiftKey);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={box}
      className={styles.grid}
      style={{ "--columns": ["24px", ...columns.map(widthOf)].join(" ") } as CSSProperties}
      role="grid"
      aria-label="Findings"
      aria-rowcount={total < 0 ? -1 : total + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      aria-keyshortcuts="j k Space Shift+Space x Shift+X Enter"
      aria-activedescendant={rows.length > 0 ? `row-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup">
        <div role="row" className={styles.head} aria-rowindex={1}>
          <div role="columnheader">
            <label className={data.pick}>
              <input
                type="checkbox"
                aria-label="Select all loaded findings"
                tabIndex={-1}
                checked={every}
                disabled={choosable.length === 0}
                onChange={() => onSelectAll(!every)}
              />
            </label>
          </div>
          {columns.map((column) => (
            <div key={column.id} role="columnheader" aria-sort={ariaSort(column)}>
              <ColumnHead column={column} tabIndex={-1} />
            </div>
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        ref={body}
        className={styles.body}
        style={printing ? undefined : { height: virtualizer.getTotalSize() }}
      >
        {rows.map((row) => {
          const finding = items[row.index];
          return (
            finding && (
              <GridRow
                key={finding.id}
                row={createRow(table, finding.id, finding, row.index, 0)}
                index={row.index}
                active={row.index === active}
                open={finding.id === opened}
                selected={selection.has(finding.id)}
                top={printing ? undefined : row.start - scrollMargin}
                height={height}
                onOpen={onOpen}
                onSelect={(index, range) => {
                  onSelect(index, range);
                  box.current?.focus({ preventScroll: true });
                }}
              />
            )
          );
        })}
      </div>
      {printing && total > items.length && (
        <p className="on-paper">{plural(total - items.length, "more finding")} not loaded, and so not printed.</p>
      )}
    </div>
  );
}

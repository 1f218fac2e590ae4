import type { Row } from "@tanstack/react-table";
import type { Finding } from "../../api/types";
import { visible } from "../../lib/visible";
import table from "../../ui/DataTable.module.css";
import styles from "./Grid.module.css";
import { selectable } from "./selection";

interface Props {
  row: Row<Finding>;
  index: number;
  active: boolean;
  open: boolean;
  selected: boolean;
  /** Where it stands in the list; on paper it follows the row before. */
  top: number | undefined;
  height: number;
  onOpen: (index: number) => void;
  onSelect: (index: number, range: boolean) => void;
}

export function GridRow({ row, index, active, open, selected, top, height, ...on }: Props) {
  const finding = row.original;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys for its active row
    <div
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-active={active}
      className={open ? `${styles.row} ${styles.open}` : styles.row}
      style={top === undefined ? undefined : { height, transform: `translateY(${top}px)` }}
      onClick={(event) => {
        // Marking text to copy is not a click, and a link opens elsewhere when asked to.
        if (event.defaultPrevented || event.ctrlKey || event.metaKey || window.getSelection()?.type === "Range") return;
        on.onOpen(index);
      }}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the box is not a click on the row */}
      <div role="gridcell" tabIndex={-1} onClick={(event) => event.stopPropagation()}>
        <label className={table.pick}>
          <input
            type="checkbox"
            aria-label={`Select ${finding.checkId} of ${visible(finding.resource.name)}`}
            tabIndex={-1}
            checked={selected}
            disabled={!selectable(finding)}
            onChange={() => {}}
            onClick={(event) => on.onSelect(index, event.shiftKey)}
          />
        </label>
      </div>
      {row.getVisibleCells().map(({ id, column }) => (
        <div key={id} role="gridcell" className={column.columnDef.meta?.of.className}>
          {column.columnDef.meta?.of.cell(row.original)}
        </div>
      ))}
    </div>
  );
}

import type { ReactNode } from "react";
import type { Finding } from "../../api/types";
import { visible } from "../../lib/visible";
import table from "../../ui/DataTable.module.css";
import { ResultMark } from "../../ui/ResultMark";
import { SeverityBadge } from "../../ui/SeverityBadge";
import styles from "./Grid.module.css";
import { selectable } from "./selection";

interface Props {
  finding: Finding;
  index: number;
  active: boolean;
  open: boolean;
  selected: boolean;
  account: string | undefined;
  marks: string[];
  link: ReactNode;
  /** Where it stands in the list; on paper it follows the row before. */
  top: number | undefined;
  height: number;
  onOpen: (index: number) => void;
  onSelect: (index: number, range: boolean) => void;
}

export function GridRow({ finding, index, active, open, selected, account, marks, link, top, height, ...on }: Props) {
  const { name, zone = "" } = finding.resource;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys for its active row
    <div
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={active}
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
            aria-label={`Select ${finding.checkId} of ${visible(name)}`}
            tabIndex={-1}
            checked={selected}
            disabled={!selectable(finding)}
            onChange={() => {}}
            onClick={(event) => on.onSelect(index, event.shiftKey)}
          />
        </label>
      </div>
      <div role="gridcell" className={styles.severity}>
        <SeverityBadge severity={finding.severity} />
      </div>
      <div role="gridcell" className={styles.result}>
        <ResultMark result={finding.result} />
      </div>
      <div role="gridcell" className={styles.check}>
        {link}
      </div>
      <div role="gridcell" className={styles.resource} title={visible(name)}>
        {visible(name)}
      </div>
      <div role="gridcell" className={styles.zone} title={visible(zone)}>
        {visible(zone)}
      </div>
      {account !== undefined && (
        <div role="gridcell" className={styles.account} title={visible(account)}>
          {visible(account)}
        </div>
      )}
      <div role="gridcell" className={styles.message} title={visible(finding.message)}>
        {marks.map((mark) => (
          <strong key={mark}>{mark}: </strong>
        ))}
        {visible(finding.message)}
      </div>
    </div>
  );
}

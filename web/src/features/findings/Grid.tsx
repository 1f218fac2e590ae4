import { Link } from "@tanstack/react-router";
import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { Finding } from "../../api/types";
import { plural } from "../../lib/number";
import { useMedia } from "../../lib/useMedia";
import { usePrinting } from "../../lib/usePrinting";
import { visible } from "../../lib/visible";
import { ResultMark } from "../../ui/ResultMark";
import { SeverityBadge } from "../../ui/SeverityBadge";
import styles from "./Grid.module.css";

interface Props {
  ref: Ref<HTMLDivElement | null>;
  items: Finding[];
  /** Rows that match, loaded or not. */
  total: number;
  active: number;
  opened: string | undefined;
  onMove: (index: number) => void;
  onOpen: (index: number) => void;
  onNearEnd: () => void;
}

const COLUMNS = ["Severity", "Result", "Check", "Resource", "Zone", "Message"];
const ROW = 32;
/** Too narrow for columns: severity and result above, the message below. */
const NARROW_ROW = 76;
const NEAR_END = 40;

/**
 * The rows in view, of any number. The grid is one tab stop: focus stays on it
 * and aria-activedescendant names the row, so that scrolling a row away does
 * not lose the place.
 */
export function Grid({ ref, items, total, active, opened, onMove, onOpen, onNearEnd }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  useImperativeHandle<HTMLDivElement | null, HTMLDivElement | null>(ref, () => box.current, []);
  const narrow = useMedia("(max-width: 900px)");
  const height = narrow ? NARROW_ROW : ROW;

  const [scrollMargin, setScrollMargin] = useState(0);
  // What stands above the rows may change its height at any render.
  useLayoutEffect(() => {
    if (body.current) setScrollMargin(Math.round(body.current.getBoundingClientRect().top + window.scrollY));
  });

  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin,
    // The active row is always in the page, because the grid refers to it.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), ...(active < items.length ? [active] : [])])].sort((a, b) => a - b),
  });
  useEffect(() => {
    // Named as a dependency: a new height makes every measured position wrong.
    if (height > 0) virtualizer.measure();
  }, [height, virtualizer]);

  const printing = usePrinting();
  const inView = virtualizer.getVirtualItems();
  const rows = printing ? items.map((_, index) => ({ index, start: 0 })) : inView;
  const last = virtualizer.range?.endIndex ?? 0;
  const near = last >= items.length - NEAR_END;
  useEffect(() => {
    if (near) onNearEnd();
  }, [near, onNearEnd]);

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
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={box}
      className={styles.grid}
      role="grid"
      aria-label="Findings"
      aria-rowcount={total + 1}
      aria-colcount={COLUMNS.length}
      aria-activedescendant={rows.length > 0 ? `row-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup">
        <div role="row" className={styles.head} aria-rowindex={1}>
          {COLUMNS.map((name) => (
            <div key={name} role="columnheader">
              {name}
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
              <Row
                key={finding.id}
                finding={finding}
                index={row.index}
                active={row.index === active}
                open={finding.id === opened}
                top={printing ? undefined : row.start - scrollMargin}
                height={height}
                onOpen={onOpen}
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

interface RowProps {
  finding: Finding;
  index: number;
  active: boolean;
  open: boolean;
  /** Where it stands in the list; on paper it follows the row before. */
  top: number | undefined;
  height: number;
  onOpen: (index: number) => void;
}

function Row({ finding, index, active, open, top, height, onOpen }: RowProps) {
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
        onOpen(index);
      }}
    >
      <div role="gridcell" className={styles.severity}>
        <SeverityBadge severity={finding.severity} />
      </div>
      <div role="gridcell" className={styles.result}>
        <ResultMark result={finding.result} />
      </div>
      <div role="gridcell" className={styles.check}>
        <Link
          from="/a/$a/r/$r/findings"
          search={(before) => ({ ...before, finding: finding.id })}
          resetScroll={false}
          tabIndex={-1}
        >
          {finding.checkId}
        </Link>
      </div>
      <div role="gridcell" className={styles.resource} title={visible(name)}>
        {visible(name)}
      </div>
      <div role="gridcell" className={styles.zone} title={visible(zone)}>
        {visible(zone)}
      </div>
      <div role="gridcell" className={styles.message} title={visible(finding.message)}>
        {visible(finding.message)}
      </div>
    </div>
  );
}

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { integer, plural } from "../../lib/number";
import { rem } from "../../lib/rem";
import { usePrinting } from "../../lib/usePrinting";
import { visible } from "../../lib/visible";
import type { CsvColumn } from "../../ui/csv";
import { SeverityBadge } from "../../ui/SeverityBadge";
import type { PostureGraph } from "../graph/columns";
import { nodeWord } from "../graph/words";
import { ChangeMark } from "./ChangeMark";
import type { Changes } from "./changes";
import styles from "./Map.module.css";
import { NodeLink } from "./NodeLink";
import type { MapSearch } from "./search";

/** The height of a row, in rem. */
const ROW = 2;
const ON_PAPER = 1000;

/** The columns of a file of nodes. */
export function csvOfNodes(graph: PostureGraph): CsvColumn<number>[] {
  return [
    ["severity", (node) => severityOf(graph, node)],
    ["resource", (node) => graph.labels[node] ?? ""],
    ["type", (node) => nodeWord(graph.nodeTypes[graph.type[node] ?? 0] ?? "")],
    ["zone", (node) => zoneOf(graph, node)],
    ["findings", (node) => String(graph.findings[node] ?? 0)],
    ["not_assessed", (node) => String(graph.unknown[node] ?? 0)],
    ["id", (node) => graph.ids[node] ?? ""],
  ];
}

const severityOf = (graph: PostureGraph, node: number) => graph.severities[graph.severity[node] ?? 0] ?? "none";
const zoneOf = (graph: PostureGraph, node: number) => graph.labels[graph.zone[node] ?? -1] ?? "";

interface Props {
  graph: PostureGraph;
  rows: Uint32Array;
  changes: Changes | undefined;
  selected: number;
  /** What of the address shows a resource. */
  partOf: (node: number) => MapSearch;
}

/** The same resources in words, worst first; only the rows in view are in the page. */
export function ResourceTable({ graph, rows, changes, selected, partOf }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const height = rem(ROW);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
  });
  const printing = usePrinting();
  const inView = virtualizer.getVirtualItems();
  const shown = printing ? Array.from(rows.subarray(0, ON_PAPER), (_, index) => ({ index, start: 0 })) : inView;
  const place = selected < 0 ? -1 : rows.indexOf(selected);
  useEffect(() => {
    if (place >= 0) virtualizer.scrollToIndex(place, { align: "auto" });
  }, [place, virtualizer]);
  return (
    <div
      role="table"
      aria-label="Resources"
      aria-rowcount={rows.length + 1}
      className={changes ? styles.compared : styles.table}
    >
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className={styles.head}>
          <div role="columnheader">Severity</div>
          <div role="columnheader">Resource</div>
          {changes && <div role="columnheader">Changed</div>}
          <div role="columnheader">Type</div>
          <div role="columnheader">Zone</div>
          <div role="columnheader">Findings</div>
          <div role="columnheader">Not assessed</div>
        </div>
      </div>
      <div role="rowgroup" ref={box} className={styles.scroll}>
        <div
          role="presentation"
          className={styles.rows}
          style={printing ? undefined : { height: virtualizer.getTotalSize() }}
        >
          {shown.map(({ index, start }) => {
            const node = rows[index] ?? 0;
            const severity = severityOf(graph, node);
            return (
              <div
                key={node}
                role="row"
                aria-rowindex={index + 2}
                className={node === selected ? styles.chosen : styles.row}
                style={printing ? undefined : { transform: `translateY(${start}px)` }}
              >
                <div role="cell">
                  {severity === "none" ? <span className="muted">none</span> : <SeverityBadge severity={severity} />}
                </div>
                <div role="cell" title={visible(graph.labels[node] ?? "")}>
                  <NodeLink label={graph.labels[node]} part={partOf(node)} />
                </div>
                {changes && (
                  <div role="cell">
                    <Change kind="worse" word="new or regressed" count={changes.worse[node] ?? 0} />
                    <Change kind="fixed" word="resolved" count={changes.fixed[node] ?? 0} />
                  </div>
                )}
                <div role="cell">{nodeWord(graph.nodeTypes[graph.type[node] ?? 0] ?? "")}</div>
                <div role="cell">{visible(zoneOf(graph, node))}</div>
                <div role="cell">{integer(graph.findings[node] ?? 0)}</div>
                <div role="cell">{integer(graph.unknown[node] ?? 0)}</div>
              </div>
            );
          })}
        </div>
      </div>
      {rows.length > ON_PAPER && (
        <p className="on-paper">{plural(rows.length - ON_PAPER, "more resource")}, not printed.</p>
      )}
    </div>
  );
}

function Change({ kind, word, count }: { kind: "worse" | "fixed"; word: string; count: number }) {
  if (count === 0) return null;
  return (
    <span className={styles.change} title={`${integer(count)} ${word}`}>
      <ChangeMark kind={kind} /> {integer(count)} <span className="visually-hidden">{word}</span>
    </span>
  );
}

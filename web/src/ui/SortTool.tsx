import type { Column as TableColumn } from "@tanstack/react-table";
import { ArrowDown, ArrowDownUp, ArrowUp } from "lucide-react";
import { useMedia } from "../lib/useMedia";
import { ToolMenu } from "./ToolMenu";
import styles from "./Tools.module.css";

interface Props {
  /** The orders and their words; the first is the default. */
  words: Readonly<Record<string, string>>;
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
}

export function SortTool({ words, sort, onSort }: Props) {
  const [usual] = Object.keys(words);
  return (
    <ToolMenu
      label={sort === undefined ? "Sort" : `Sort: ${words[sort] ?? sort}`}
      icon={<ArrowDownUp aria-hidden />}
      entries={Object.entries(words).map(([value, name]) => ({
        kind: "one",
        name,
        on: value === (sort ?? usual),
        onTurn: () => onSort(value === usual ? undefined : value),
      }))}
    />
  );
}

/** The name of a column; where the list can be ordered by it, a button that does. */
export function ColumnHead<T>({ column, tabIndex }: { column: TableColumn<T>; tabIndex?: number }) {
  const of = column.columnDef.meta?.of;
  // Where rows are lists, nobody sees the heads: they are read, but the focus must not go there.
  const unseen = useMedia("(max-width: 56.25em)");
  if (!of) return null;
  if (of.head) return of.head;
  if (of.quiet) return <span className="visually-hidden">{of.name}</span>;
  if (unseen || !column.getCanSort()) return of.name;
  const now = column.getIsSorted();
  // What is biggest or newest first, then the other way round, then the usual order.
  const ways = (["desc", "asc"] as const).filter((way) => of.sorts?.[way] !== undefined);
  const next = now === false ? ways[0] : ways[ways.indexOf(now) + 1];
  return (
    <button
      type="button"
      className={styles.sort}
      tabIndex={tabIndex}
      onClick={() => (next ? column.toggleSorting(next === "desc") : column.clearSorting())}
    >
      {of.name}
      {now === "asc" && <ArrowUp aria-hidden />}
      {now === "desc" && <ArrowDown aria-hidden />}
    </button>
  );
}

/** How a column header tells its order to screen readers. */
export function ariaSort<T>(column: TableColumn<T>): "ascending" | "descending" | undefined {
  const now = column.getIsSorted();
  return now === false ? undefined : now === "asc" ? "ascending" : "descending";
}

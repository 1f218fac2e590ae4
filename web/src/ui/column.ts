import type { ReactNode } from "react";
import { freeText } from "../lib/url";

/** One column of a table whose columns people choose. */
export interface Column<T> {
  id: string;
  name: string;
  cell: (row: T) => ReactNode;
  /** Whether it is shown until somebody chooses; true when absent. */
  shown?: boolean;
  /** It is always there: first, last, or wherever somebody puts it. */
  fixed?: "first" | "last" | "anywhere";
  /** The words of the service for the orders by it. */
  sorts?: { asc?: string; desc?: string };
  className?: string | undefined;
  /** Its share of a grid. */
  width?: string;
  /** What a narrow page shows instead of the heading. */
  label?: (row: T) => string;
  /** Stands in the place of the name. */
  head?: ReactNode;
  /** The name is for screen readers only. */
  quiet?: boolean;
}

/** What the address holds of any list; columns are ids in their order, parted by commas, and undefined is the default. */
export interface ListSearch {
  q?: string | undefined;
  sort?: string | undefined;
  columns?: string | undefined;
}

/** The columns of an address: what is no id there counts as absent. */
export function columnsParam(value: unknown): string | undefined {
  const ids = freeText(value, 500)?.split(",") ?? [];
  return [...new Set(ids.filter((id) => /^[a-z]+$/i.test(id)))].join(",") || undefined;
}

/** The columns that are shown, in their order. */
export function shownColumns<T>(columns: readonly Column<T>[], chosen: string | undefined): Column<T>[] {
  const free = columns.filter(({ fixed }) => fixed === undefined || fixed === "anywhere");
  const named = (chosen?.split(",") ?? []).flatMap((id) => free.find((column) => column.id === id) ?? []);
  const middle =
    named.length === 0
      ? free.filter(({ shown = true }) => shown)
      : [...free.filter((column) => column.fixed === "anywhere" && !named.includes(column)), ...named];
  const at = (place: "first" | "last") => columns.filter(({ fixed }) => fixed === place);
  return [...at("first"), ...middle, ...at("last")];
}

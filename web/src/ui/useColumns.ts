import { type ColumnDef, getCoreRowModel, type RowData, useReactTable } from "@tanstack/react-table";
import { type Column, type ListSearch, shownColumns } from "./column";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData extends RowData, TValue> {
    /** Its cells are drawn by a call: as a component of the library they would be made anew, and lose the focus, at each drawing. */
    of: Column<TData>;
    /** Named by the library's type; never there. */
    value?: TValue;
  }
}

interface Model<T> {
  columns: readonly Column<T>[];
  rows: readonly T[];
  search: ListSearch;
  /** Changes the address in the parts given. */
  set: (part: ListSearch) => unknown;
}

/**
 * The model of the columns of a table: which, in which order, sorted by which. The address holds it, so that a link and
 * a saved view show what their sender saw. Rows come in their order from the service.
 */
export function useColumns<T extends object>({ columns, rows, search: { sort, columns: chosen }, set }: Model<T>) {
  const shown = shownColumns(columns, chosen);
  const order = [...shown, ...columns.filter((column) => !shown.includes(column))].map(({ id }) => id);
  const visibility = Object.fromEntries(columns.map((column) => [column.id, shown.includes(column)]));
  const sorted = columns.find(({ sorts }) => sort !== undefined && (sorts?.asc === sort || sorts?.desc === sort));
  const choose = (ids: readonly string[]) => {
    const free = columns.filter(({ fixed }) => fixed === undefined || fixed === "anywhere");
    const next = ids.filter((id) => free.some((column) => column.id === id)).join(",");
    const usual = free.flatMap(({ id, shown = true }) => (shown ? [id] : [])).join(",");
    set({ columns: next === usual ? undefined : next });
  };
  return useReactTable<T>({
    data: rows as T[],
    columns: columns.map(
      (column): ColumnDef<T> => ({
        id: column.id,
        header: column.name,
        accessorFn: (row) => row,
        enableHiding: column.fixed === undefined,
        enableSorting: column.sorts !== undefined,
        meta: { of: column },
      }),
    ),
    getCoreRowModel: getCoreRowModel(),
    manualSorting: true,
    // There are no pages to go back to, and doing so draws again at each new array of rows, which a drawing makes.
    autoResetAll: false,
    state: {
      columnOrder: order,
      columnVisibility: visibility,
      sorting: sorted ? [{ id: sorted.id, desc: sorted.sorts?.desc === sort }] : [],
    },
    onColumnVisibilityChange: (change) => {
      const next = typeof change === "function" ? change(visibility) : change;
      choose(order.filter((id) => next[id] ?? true));
    },
    onColumnOrderChange: (change) => {
      const next = typeof change === "function" ? change(order) : change;
      choose(next.filter((id) => visibility[id]));
    },
    onSortingChange: (change) => {
      const next = typeof change === "function" ? change([]) : change;
      const sorts = columns.find(({ id }) => id === next[0]?.id)?.sorts;
      set({ sort: next[0]?.desc ? sorts?.desc : sorts?.asc });
    },
  });
}

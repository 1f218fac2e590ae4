import type { Table } from "@tanstack/react-table";
import { type ReactNode, useRef } from "react";
import { ColumnsTool } from "./ColumnsTool";
import { CsvButton } from "./CsvButton";
import type { ListSearch } from "./column";
import type { CsvColumn } from "./csv";
import { AddFilter, FilterChips, type FilterField } from "./FilterChips";
import { SearchBox } from "./SearchBox";
import { SortTool } from "./SortTool";
import tools from "./Tools.module.css";

interface Props<T extends object, R> {
  /** What is listed, in the plural. */
  of: string;
  /** Where the search looks; a list without it has none. */
  hint?: string;
  search: ListSearch;
  /** Changes the address in the parts given. */
  set: (part: ListSearch) => unknown;
  fields?: readonly FilterField[];
  onClear?: () => void;
  /** The orders and their words; the first is the default. A list of one order has none. */
  sorts?: Readonly<Record<string, string>>;
  /** Absent where there are no columns. */
  table?: Table<T>;
  csv: { name: string; columns: readonly CsvColumn<R>[]; rows: () => readonly R[] | Promise<readonly R[]> };
  /** What only this list has, before the order. */
  children?: ReactNode;
  /** How many are listed. */
  count?: ReactNode;
}

/** The row of tools above a list. */
export function ListTools<T extends object, R>(props: Props<T, R>) {
  const { of, hint, search, set, fields = [], onClear = () => {}, sorts, table, csv } = props;
  const adder = useRef<HTMLButtonElement>(null);
  return (
    <search className={tools.tools} aria-label={`Filter the ${of}`}>
      {hint !== undefined && (
        <SearchBox label={`Search in the ${of}`} placeholder={hint} value={search.q} onChange={(q) => set({ q })} />
      )}
      {fields.length > 0 && <AddFilter fields={fields} trigger={adder} />}
      {props.children}
      {sorts && <SortTool words={sorts} sort={search.sort} onSort={(sort) => set({ sort })} />}
      {table && <ColumnsTool table={table} onReset={() => set({ columns: undefined })} />}
      <CsvButton {...csv} />
      <FilterChips fields={fields} trigger={adder} onClear={onClear} />
      {props.count !== undefined && <p role="status">{props.count}</p>}
    </search>
  );
}

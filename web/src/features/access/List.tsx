import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { integer } from "../../lib/number";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { PlainTable } from "../../ui/PlainTable";
import { QueryStatus } from "../../ui/QueryStatus";
import { SearchBox } from "../../ui/SearchBox";
import { ShowMore } from "../../ui/ShowMore";
import styles from "./Access.module.css";

/** From so many on they are searched. */
const MANY = 10;

interface Props<T> {
  title: string;
  /** What is listed, as in "people". */
  what: string;
  add: string;
  onAdd: () => void;
  list: UseQueryResult<T[]>;
  none: string;
  columns: readonly string[];
  csv: readonly CsvColumn<T>[];
  /** What a search looks at. */
  text: (one: T) => string;
  row: (one: T) => ReactNode;
  children?: ReactNode;
}

/** A part of the page: who or what there is, and a way to add. */
export function List<T>({ title, what, add, onAdd, list, none, columns, csv, text, row, children }: Props<T>) {
  const [sought, setSought] = useState<string>();
  const all = list.data ?? [];
  const rows = all.filter((one) =>
    text(one)
      .toLowerCase()
      .includes((sought ?? "").toLowerCase()),
  );
  return (
    <Panel
      title={title}
      aside={
        list.data && (
          <div className={styles.row}>
            <CsvButton name={title.toLowerCase().replace(" ", "-")} columns={csv} rows={() => rows} />
            <Button onClick={onAdd}>{add}</Button>
          </div>
        )
      }
    >
      {children}
      <QueryStatus query={list} of={what} rows={3} />
      {list.data?.length === 0 && <p className={form.hint}>{none}</p>}
      {all.length > MANY && (
        <search className={styles.search} aria-label={`Search the ${what}`}>
          <SearchBox label={`Name in the ${what}`} placeholder="Search" value={sought} onChange={setSought} />
          <span className={form.hint} role="status">
            {sought && `${integer(rows.length)} of ${integer(all.length)}`}
          </span>
        </search>
      )}
      {rows.length > 0 && (
        <ShowMore of={rows} word={["row", "rows"]} step={50}>
          {(shown) => (
            <PlainTable caption={title} columns={columns}>
              {shown.map(row)}
            </PlainTable>
          )}
        </ShowMore>
      )}
    </Panel>
  );
}

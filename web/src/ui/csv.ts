import { visible } from "../lib/visible";

/** The name of a column and what stands in it. */
export type CsvColumn<T> = [string, (row: T) => string];

/** A cell that a spreadsheet does not take for a formula, whoever named the thing. */
export function csvCell(text: string): string {
  const shown = visible(text);
  const inert = /^[=+\-@\t\r\n]/.test(text) ? `'${shown}` : shown;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** A table as comma-separated values. */
export function csvOf<T>(columns: readonly CsvColumn<T>[], rows: readonly T[]): string {
  const lines = [
    columns.map(([name]) => name).join(","),
    ...rows.map((row) => columns.map(([, value]) => csvCell(value(row))).join(",")),
  ];
  return `${lines.join("\r\n")}\r\n`;
}

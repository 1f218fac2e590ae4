import { revealed } from "../lib/visible";

/** The name of a column and what stands in it. */
export type CsvColumn<T> = [string, (row: T) => string];

// What a spreadsheet may take for a formula, behind what it skips, and where it may part cells.
const STARTS = /^[\p{Z}\p{C}']*[=+\-@\t\r\n＝＋－＠]/u;
const STARTS_WITHIN = /([;\t\r\n][\p{Z}\p{C}]*'*)([=+\-@＝＋－＠])/gu;

/** A cell that a spreadsheet does not take for a formula, whoever named the thing; as the service exports it. */
export function csvCell(text: string): string {
  const shown = revealed(text.replace(STARTS_WITHIN, "$1'$2"));
  const inert = STARTS.test(text) ? `'${shown}` : shown;
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

import type { Finding } from "../../api/types";
import { utc } from "../../lib/time";
import { visible } from "../../lib/visible";

/** What the file is of, so that a reader can return to it. */
export interface ExportHead {
  url: string;
  account: string;
  assessmentId: string;
  at: string;
}

/** The name of a column and what stands in it. */
export type Column<T> = [string, (row: T) => string];

const COLUMNS: Column<Finding>[] = [
  ["finding_id", ({ id }) => id],
  ["check_id", ({ checkId }) => checkId],
  ["title", ({ title }) => title],
  ["category", ({ category }) => category],
  ["severity", ({ severity }) => severity],
  ["result", ({ result }) => result],
  ["status", ({ status }) => status],
  ["resource_type", ({ resource }) => resource.type],
  ["resource_id", ({ resource }) => resource.id],
  ["resource_name", ({ resource }) => resource.name],
  ["zone", ({ resource }) => resource.zone ?? ""],
  ["message", ({ message }) => message],
  ["reason", ({ reason }) => reason ?? ""],
  ["permission", ({ permission }) => permission ?? ""],
  ["exception", ({ exception, exceptionNote }) => exceptionNote || exception || ""],
  ["fix", ({ fix }) => fix],
  ["remediable", ({ remediable }) => String(remediable)],
  ["first_seen", ({ firstSeen }) => firstSeen],
  ["last_seen", ({ lastSeen }) => lastSeen],
];

/** A cell that a spreadsheet does not take for a formula, whoever named the thing. */
function cell(text: string): string {
  const shown = visible(text);
  const inert = /^[=+\-@\t\r\n]/.test(shown) ? `'${shown}` : shown;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** A table as comma-separated values. */
export function csvOf<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const lines = [
    columns.map(([name]) => name).join(","),
    ...rows.map((row) => columns.map(([, value]) => cell(value(row))).join(",")),
  ];
  return `${lines.join("\r\n")}\r\n`;
}

/** Comma-separated values under a line that says of what. */
export function findingsCsv(head: ExportHead, findings: readonly Finding[]): string {
  const what = `# ${findings.length} findings of ${head.account}, assessment ${head.assessmentId}, ${utc(head.at)}: ${head.url}`;
  return `${cell(what)}\r\n${csvOf(COLUMNS, findings)}`;
}

export function findingsJson(head: ExportHead, findings: readonly Finding[]): string {
  return `${JSON.stringify({ ...head, total: findings.length, findings }, null, 1)}\n`;
}

import type { Finding } from "../../api/types";
import { plural } from "../../lib/number";
import { utc } from "../../lib/time";
import { type CsvColumn, csvCell, csvOf } from "../../ui/csv";

/** What the file is of, so that a reader can return to it. */
export interface ExportHead {
  url: string;
  account: string;
  /** Findings as they stand now are of many. */
  assessmentId?: string;
  at: string;
}

export const COLUMNS: CsvColumn<Finding>[] = [
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

/** Comma-separated values under a line that says of what. */
export function findingsCsv(head: ExportHead, findings: readonly Finding[]): string {
  const of = [head.account, ...(head.assessmentId ? [`assessment ${head.assessmentId}`] : [])].join(", ");
  const what = `# ${plural(findings.length, "finding")} of ${of}, ${utc(head.at)}: ${head.url}`;
  return `${csvCell(what)}\r\n${csvOf(COLUMNS, findings)}`;
}

export function findingsJson(head: ExportHead, findings: readonly Finding[]): string {
  return `${JSON.stringify({ ...head, total: findings.length, findings }, null, 1)}\n`;
}

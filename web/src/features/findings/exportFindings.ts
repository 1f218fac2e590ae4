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

const COLUMNS: [string, (finding: Finding) => string][] = [
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

/** Comma-separated values under a line that says of what. */
export function findingsCsv(head: ExportHead, findings: readonly Finding[]): string {
  const lines = [
    cell(
      `# ${findings.length} findings of ${head.account}, assessment ${head.assessmentId}, ${utc(head.at)}: ${head.url}`,
    ),
    COLUMNS.map(([name]) => name).join(","),
    ...findings.map((finding) => COLUMNS.map(([, value]) => cell(value(finding))).join(",")),
  ];
  return `${lines.join("\r\n")}\r\n`;
}

export function findingsJson(head: ExportHead, findings: readonly Finding[]): string {
  return `${JSON.stringify({ ...head, total: findings.length, findings }, null, 1)}\n`;
}

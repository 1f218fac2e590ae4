import type { Finding } from "../api/types";
import { resultWord } from "./result";
import { severityWord } from "./severity";
import { stepWord } from "./step";
import { utc } from "./time";
import { revealed, visibleLines } from "./visible";

/** Names come from the assessed account: nothing in them may become markup, a link or a new line. */
export function escapeMarkdown(text: string): string {
  return revealed(text.replace(/[\r\n\t]+/g, " ")).replace(/[\\`*_{}[\]()<>#+\-.!|~&:@]/g, "\\$&");
}

/** A code span that holds whatever backticks the text holds; a pipe would end a table cell. */
export function codeSpan(text: string): string {
  const line = revealed(text.replace(/[\r\n\t]+/g, " ")).replaceAll("|", "\\|");
  if (line === "") return "";
  const fence = "`".repeat(Math.max(0, ...[...line.matchAll(/`+/g)].map((run) => run[0].length)) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A block of code; the fence is longer than any in the text. */
function fenced(text: string): string[] {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map((run) => run[0].length + 1)));
  return [fence, text, fence];
}

export function findingMarkdown(finding: Finding, link: string): string {
  const where = finding.resource.zone ? ` in zone ${codeSpan(finding.resource.zone)}` : "";
  const lines = [
    `### ${escapeMarkdown(finding.checkId)}: ${escapeMarkdown(finding.title)}`,
    "",
    `**${severityWord(finding.severity)}**, ${resultWord(finding.result)}: ${escapeMarkdown(finding.message)}`,
    "",
    `- Resource: ${finding.resource.type} ${codeSpan(finding.resource.name)}${where}`,
    `- First seen: ${utc(finding.firstSeen)}`,
    `- Link: <${link}>`,
    "",
    `**Why it matters.** ${escapeMarkdown(finding.why)}`,
    "",
    `**Fix.** ${escapeMarkdown(finding.fix)}`,
  ];
  for (const step of finding.steps) {
    lines.push("", `**${stepWord(step.where)}.** ${escapeMarkdown(step.text)}`);
    if (step.code) lines.push("", ...fenced(visibleLines(step.code)));
  }
  if (finding.evidence.length > 0) {
    lines.push("", "| Source | Field | Observed | Expected |", "|---|---|---|---|");
    for (const e of finding.evidence) {
      lines.push(
        `| ${codeSpan(e.source)} | ${codeSpan(e.pointer)} | ${codeSpan(e.observed)} | ${codeSpan(e.expected)} |`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

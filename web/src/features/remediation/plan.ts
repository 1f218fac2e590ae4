import type { Change, Finding, Plan } from "../../api/types";
import { plural } from "../../lib/number";
import type { CsvColumn } from "../../ui/csv";
import { severityRank } from "./rank";

export interface ResourceGroup {
  key: string;
  type: string;
  name: string;
  zone: string | undefined;
  findings: Finding[];
}

/** Findings by what they are about, the worst resource first. */
export function byResource(findings: readonly Finding[]): ResourceGroup[] {
  const groups = new Map<string, ResourceGroup>();
  for (const finding of findings) {
    const { type, id, name, zone } = finding.resource;
    const key = `${type} ${id}`;
    const group = groups.get(key) ?? { key, type, name, zone, findings: [] };
    group.findings.push(finding);
    groups.set(key, group);
  }
  const all = [...groups.values()];
  for (const group of all) group.findings.sort((x, y) => severityRank(x.severity) - severityRank(y.severity));
  const worst = (group: ResourceGroup) => severityRank(group.findings[0]?.severity ?? "");
  return all.sort((x, y) => worst(x) - worst(y) || y.findings.length - x.findings.length);
}

/** The value of an input as the service takes it: JSON when it is some, else the text. */
export function inputValue(text: string): unknown {
  const trimmed = text.trim();
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    return trimmed;
  }
}

/** What was filled in for checks that are chosen; the rest stays for a person. */
export function inputsOf(
  filled: Readonly<Record<string, string>>,
  checks: readonly string[],
): Record<string, Record<string, unknown>> {
  const out: Record<string, Record<string, unknown>> = {};
  for (const [key, text] of Object.entries(filled)) {
    const [check = "", name = ""] = key.split(" ");
    if (text.trim() === "" || !checks.includes(check)) continue;
    out[check] = { ...out[check], [name]: inputValue(text) };
  }
  return out;
}

export interface DiffLine {
  /** Where the value lies. */
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** What differs between two values, member by member; a side that has no such member is undefined. */
export function diffOf(before: unknown, after: unknown, path = ""): DiffLine[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => diffOf(before[name], after[name], path === "" ? name : `${path}.${name}`));
  }
  if (before === null && isObject(after)) return diffOf({}, after, path);
  if (after === null && isObject(before)) return diffOf(before, {}, path);
  const [old, next] = [written(before), written(after)];
  return old === next ? [] : [{ path, before: old, after: next }];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const written = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));

/** A value of a change before and after, or what a plan leaves to people, refuses or need not do. */
interface PlanRow {
  what: string;
  check: string;
  resource: string;
  object?: string | undefined;
  setting?: string;
  before?: string | undefined;
  after?: string | undefined;
  request?: string;
  note?: string | undefined;
}

export const PLAN_CSV = (
  ["what", "check", "resource", "object", "setting", "before", "after", "request", "note"] as const
).map((name): CsvColumn<PlanRow> => [name, (row) => row[name] ?? ""]);

/** A plan as a table. */
export function planRows({ changes, manual, skipped }: Plan): PlanRow[] {
  return [
    ...changes.flatMap(({ checkId: check, resource, object, operation: request, before, after, caution: note }) =>
      diffOf(before, after).map((line) => ({
        what: "change",
        check,
        resource: resource.name,
        object,
        setting: line.path,
        before: line.before,
        after: line.after,
        request,
        note,
      })),
    ),
    ...manual.map(({ checkId: check, resource, fix, inputs }) => ({
      what: inputs?.length ? "waits for a value" : "by hand",
      check,
      resource: resource.name,
      note: fix,
    })),
    ...skipped.map(({ checkId: check, resource, reason, compliant }) => ({
      what: compliant ? "already right" : "not possible",
      check,
      resource: resource.name,
      note: reason,
    })),
  ];
}

/** The changes of a plan that stand for the chosen findings. */
export function changesFor(plan: Plan, findings: readonly string[]): string[] {
  const wanted = new Set(findings);
  return plan.changes.filter(({ findingId }) => wanted.has(findingId)).map(({ id }) => id);
}

/** "Apply 7 changes to Acme". */
export function applyWords(count: number, account: string): string {
  return `Apply ${plural(count, "change")} to ${account}`;
}

export function highRisk(changes: readonly Change[]): number {
  return changes.filter(({ risk }) => risk === "high").length;
}

/** How long a plan still holds, to the second. */
export function countdown(expiresAt: string, now: number): string | undefined {
  const left = Math.floor((Date.parse(expiresAt) - now) / 1000);
  if (Number.isNaN(left) || left <= 0) return undefined;
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}

const WORDS: Record<string, string> = {
  pending: "waiting",
  writing: "being written",
  applied: "applied",
  unchanged: "was right already",
  skipped: "not made",
  failed: "failed",
  restored: "taken back at once",
  unknown: "outcome unknown",
  restoring: "being taken back",
  rolled_back: "taken back",
  open: "at work",
  partial: "in force in part",
  nothing: "empty: nothing was changed",
};

/** The word for the state of a bundle or of one change. */
export function stateWord(state: string): string {
  return WORDS[state] ?? state;
}

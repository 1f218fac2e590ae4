import type { ComplianceControl } from "../../api/types";
import type { ComplianceSearch } from "./search";

export const STATUSES = ["fail", "partial", "pass", "not_assessed", "not_applicable"] as const;

const WORDS: Record<string, string> = {
  fail: "Fail",
  partial: "Partly met",
  pass: "Pass",
  not_assessed: "Not assessed",
  not_applicable: "Not applicable",
};

export function statusWord(status: string): string {
  return WORDS[status] ?? status;
}

const STRENGTHS: Record<string, string> = {
  shows: "shows it:",
  supports: "supports it:",
  touches: "touches it:",
};

/** What a check is to a control, before the reason. */
export function strengthWord(strength: string): string {
  return STRENGTHS[strength] ?? `${strength}:`;
}

export interface Group {
  name: string;
  controls: ComplianceControl[];
}

/** The controls that the filters leave, by group, both in the order of the framework. */
export function groupsOf(controls: readonly ComplianceControl[], { show, q }: ComplianceSearch): Group[] {
  const text = q?.toLowerCase() ?? "";
  const groups = new Map<string, ComplianceControl[]>();
  for (const control of controls) {
    const { status, id, title, group, checkIds } = control;
    if (show === "failed" && status !== "fail" && status !== "partial") continue;
    if (show === "gap" && status !== "not_assessed") continue;
    if (!`${id} ${title} ${group} ${checkIds.join(" ")}`.toLowerCase().includes(text)) continue;
    groups.set(group, [...(groups.get(group) ?? []), control]);
  }
  return [...groups].map(([name, list]) => ({ name, controls: list }));
}

import type { ComplianceControl, ComplianceReport } from "../../api/types";
import type { ComplianceSearch, Framework } from "./search";

export const NAMES: Record<Framework, string> = {
  cis: "CIS Controls",
  soc2: "SOC 2",
  pci: "PCI DSS",
  nist: "NIST CSF",
};

/** What is said of a control, and the colour of it: "hatch" is for what was not assessed. */
const STATUSES: Record<string, [word: string, colour: string]> = {
  fail: ["Fail", "var(--bad)"],
  partial: ["Partly met", "var(--middling)"],
  pass: ["Pass", "var(--good)"],
  not_assessed: ["Not assessed", "hatch"],
  not_applicable: ["Not applicable", "var(--line)"],
};

export function statusWord(status: string): string {
  return STATUSES[status]?.[0] ?? status;
}

export function statusColour(status: string): string {
  return STATUSES[status]?.[1] ?? "hatch";
}

/** The controls of each status. What was not assessed is always among them: leaving it out would flatter the rest. */
export function sharesOf({ totals }: ComplianceReport): { status: string; n: number }[] {
  const { fail, partial, pass, notAssessed, notApplicable } = totals;
  return [
    { status: "fail", n: fail },
    { status: "partial", n: partial },
    { status: "pass", n: pass },
    { status: "not_assessed", n: notAssessed },
    { status: "not_applicable", n: notApplicable },
  ];
}

const STRENGTHS: Record<string, string> = {
  shows: "Shown by",
  supports: "Supported by",
  touches: "Touched by",
};

/** What a control is by checks, from the most that a check can be for it. */
export function strengthWord(strength: string): string {
  return STRENGTHS[strength] ?? strength;
}

/** The checks of a control by how much each says of it, the most first. */
export function evidenceOf(checks: ComplianceControl["checks"]): [string, ComplianceControl["checks"]][] {
  const order = [...Object.keys(STRENGTHS), ...checks.map(({ strength }) => strength)];
  return [...new Set(order)].flatMap((strength) => {
    const of = checks.filter((check) => check.strength === strength);
    return of.length > 0 ? [[strength, of] as [string, ComplianceControl["checks"]]] : [];
  });
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

import { freeText } from "../../lib/url";

export interface RemediationSearch {
  /** Checks whose findings are chosen when the page opens, with commas. */
  check?: string | undefined;
  /** The one finding that is chosen when the page opens. */
  finding?: string | undefined;
  /** The attack path that is to be broken. */
  path?: string | undefined;
  /** The least set of changes that breaks all paths is to be made, as far as the service can. */
  least?: "yes" | undefined;
  zone?: string | undefined;
  /** Plans at once what the link names. */
  now?: "yes" | undefined;
  /** The plan that is looked at. */
  plan?: string | undefined;
  /** The permission is asked for. */
  step?: "authorise" | undefined;
  /** The job that applies it. */
  job?: string | undefined;
}

export function remediationSearch(raw: Record<string, unknown>): RemediationSearch {
  const plan = freeText(raw.plan, 64);
  return {
    check: freeText(raw.check, 2000),
    finding: freeText(raw.finding, 64),
    path: freeText(raw.path, 1000),
    least: raw.least === "yes" ? "yes" : undefined,
    zone: freeText(raw.zone, 253),
    now: raw.now === "yes" ? "yes" : undefined,
    plan,
    step: plan !== undefined && raw.step === "authorise" ? "authorise" : undefined,
    job: freeText(raw.job, 64),
  };
}

export const STEPS = ["Select", "Review", "Authorise", "Result"] as const;

/** Which of the four steps an address leads to. */
export function stepOf({ plan, step, job }: RemediationSearch): number {
  if (job !== undefined) return 3;
  if (plan === undefined) return 0;
  return step === "authorise" ? 2 : 1;
}

export interface BackupsSearch {
  /** The bundle that is open. */
  backup?: string | undefined;
  /** The job that takes a bundle back. */
  job?: string | undefined;
}

export function backupsSearch(raw: Record<string, unknown>): BackupsSearch {
  return { backup: freeText(raw.backup, 64), job: freeText(raw.job, 64) };
}

import { pickWords } from "../../lib/url";

export const JOB_STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
export type JobState = (typeof JOB_STATES)[number];
export const JOB_KINDS = ["assess", "plan", "apply", "rollback", "ship", "notify"] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export interface JobsSearch {
  state?: JobState | undefined;
  kind?: JobKind | undefined;
}

export function jobsSearch(raw: Record<string, unknown>): JobsSearch {
  return { state: pickWords(raw.state, JOB_STATES)[0], kind: pickWords(raw.kind, JOB_KINDS)[0] };
}

const WORDS: Record<string, string> = {
  assess: "Assessment",
  plan: "Plan",
  apply: "Apply",
  rollback: "Rollback",
  ship: "Ship",
  notify: "Notify",
};

export function kindWord(kind: string): string {
  return WORDS[kind] ?? kind;
}

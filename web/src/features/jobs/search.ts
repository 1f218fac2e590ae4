import offered from "../../api/offered.json";
import { pickWords } from "../../lib/url";

export const JOB_STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
export type JobState = (typeof JOB_STATES)[number];
export const JOB_KINDS: readonly string[] = offered.jobKinds;
export type JobKind = string;

export interface JobsSearch {
  state?: JobState | undefined;
  kind?: JobKind | undefined;
}

export function jobsSearch(raw: Record<string, unknown>): JobsSearch {
  return { state: pickWords(raw.state, JOB_STATES)[0], kind: pickWords(raw.kind, JOB_KINDS)[0] };
}

export function kindWord(kind: string): string {
  return ({ assess: "Assessment" } as Record<string, string>)[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1);
}

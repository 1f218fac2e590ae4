import offered from "../../api/offered.json";
import { freeText, given, pickWords } from "../../lib/url";
import { columnsParam } from "../../ui/column";

export const JOB_STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
export const JOB_KINDS: readonly string[] = offered.jobKinds;

export interface JobsSearch {
  state?: (typeof JOB_STATES)[number] | undefined;
  kind?: string | undefined;
  /** The id of a registered account. */
  account?: string | undefined;
  columns?: string | undefined;
}

export function jobsSearch(raw: Record<string, unknown>): JobsSearch {
  return {
    state: pickWords(raw.state, JOB_STATES)[0],
    kind: pickWords(raw.kind, JOB_KINDS)[0],
    account: freeText(raw.account, 64),
    columns: columnsParam(raw.columns),
  };
}

/** The filters in the form the service takes. */
export const jobsQuery = (search: JobsSearch) => given(search, ["state", "kind", "account"]);

export function kindWord(kind: string): string {
  return ({ assess: "Assessment" } as Record<string, string>)[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1);
}

export const RESULTS = ["FAIL", "WARNING", "UNKNOWN", "PASS", "NOT_APPLICABLE"] as const;
export type Result = (typeof RESULTS)[number];

/** What the service lists when no result is named. */
export const LISTED: readonly Result[] = ["FAIL", "WARNING", "UNKNOWN"];

const WORDS: Record<Result, string> = {
  FAIL: "Fail",
  WARNING: "Warning",
  UNKNOWN: "Not assessed",
  PASS: "Pass",
  NOT_APPLICABLE: "Not applicable",
};

function isResult(value: string): value is Result {
  return (RESULTS as readonly string[]).includes(value);
}

export function resultWord(value: string): string {
  return isResult(value) ? WORDS[value] : value;
}

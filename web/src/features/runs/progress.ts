import type { Job, Progress } from "../../api/types";
import { integer } from "../../lib/number";

/** The phases of an assess job and what each is worth of the whole bar: reading takes nearly all of the time. */
const PHASES = [
  { name: "collect", word: "Reading the account", from: 0, to: 97 },
  { name: "resolve", word: "Looking up names", from: 97, to: 98 },
  { name: "evaluate", word: "Judging what was read", from: 98, to: 99 },
  { name: "save", word: "Saving the result", from: 99, to: 100 },
] as const;

export interface Meter {
  /** A new attempt starts a new bar. */
  key: string;
  phase: string;
  /** Share of the current phase, 0 to 1; null while its total is unknown. */
  share: number | null;
  /** Position of the bar, 0 to 100; it never goes back within one attempt. */
  position: number;
}

/** The bar after the next report. A total that grows while reading must not move it back. */
export function advance(previous: Meter | undefined, job: Pick<Job, "id" | "attempt" | "state" | "progress">): Meter {
  const key = `${job.id} ${job.attempt}`;
  const before = previous?.key === key ? previous : undefined;
  const { phase, done, total } = job.progress;
  const known = PHASES.find((p) => p.name === phase);
  const reported = total > 0 ? Math.min(1, Math.max(0, done / total)) : null;
  const floor = before?.phase === phase ? (before.share ?? 0) : 0;
  const share = reported === null ? null : Math.max(reported, floor);
  const start = known?.from ?? 0;
  const width = known ? known.to - known.from : 0;
  const position = job.state === "succeeded" ? 100 : Math.max(before?.position ?? 0, start + (share ?? 0) * width);
  return { key, phase, share, position };
}

export function phaseWord(phase: string): string {
  if (phase === "") return "Starting";
  return PHASES.find((p) => p.name === phase)?.word ?? "Working";
}

/** "412 of 1,203 reads", or "412 reads" while the total is unknown. */
export function workWords({ done, total, unit }: Progress): string {
  const units = (n: number) => (unit === "" ? "" : ` ${unit}${n === 1 ? "" : "s"}`);
  if (total > 0) return `${integer(done)} of ${integer(total)}${units(total)}`;
  return done > 0 ? `${integer(done)}${units(done)}` : "";
}

const ENDED = ["succeeded", "failed", "cancelled"];

/** An answer that was asked for before the job ended arrives after the event that told its end: the end stays. */
export const newest = (known: Job | undefined, answer: Job): Job =>
  known !== undefined && hasEnded(known.state) ? known : answer;

export function hasEnded(state: string): boolean {
  return ENDED.includes(state);
}

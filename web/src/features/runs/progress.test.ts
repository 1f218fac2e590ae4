import { describe, expect, it } from "vitest";
import type { Job, Progress } from "../../api/types";
import { advance, type Meter, newest, phaseWord, workWords } from "./progress";

const progress = (part: Partial<Progress>): Progress => ({
  phase: "collect",
  done: 0,
  total: 0,
  unit: "read",
  requests: 0,
  waitingSeconds: 0,
  ...part,
});

function run(...steps: (Partial<Progress> & { attempt?: number; state?: string })[]): Meter[] {
  let meter: Meter | undefined;
  return steps.map(({ attempt = 1, state = "running", ...part }) => {
    meter = advance(meter, { id: "j", attempt, state, progress: progress(part) });
    return meter;
  });
}

describe("advance", () => {
  it("shows no share while the total is unknown", () => {
    expect(run({ done: 7 })[0]).toMatchObject({ share: null, position: 0 });
  });

  it("never goes back when the total grows", () => {
    const seen = run({ done: 5, total: 10 }, { done: 6, total: 100 }, { done: 60, total: 100 }, { done: 50, total: 0 });
    expect(seen.map((m) => m.share)).toEqual([0.5, 0.5, 0.6, null]);
    const positions = seen.map((m) => m.position);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });

  it("goes through the phases to the end", () => {
    const seen = run(
      { done: 10, total: 10 },
      { phase: "resolve", done: 1, total: 2 },
      { phase: "evaluate", total: 4 },
      { phase: "evaluate", done: 4, total: 4 },
      { phase: "save", total: 0 },
      { phase: "save", state: "succeeded" },
    );
    expect(seen.map((m) => m.position)).toEqual([97, 97.5, 98, 99, 99, 100]);
  });

  it("stays where it is in a phase it does not know", () => {
    expect(run({ done: 5, total: 10 }, { phase: "polish", done: 1, total: 2 }).map((m) => m.position)).toEqual([
      48.5, 48.5,
    ]);
  });

  it("starts anew with a new attempt", () => {
    expect(run({ done: 9, total: 10 }, { attempt: 2, done: 1, total: 10 }).map((m) => m.share)).toEqual([0.9, 0.1]);
  });

  it("takes no share beyond the whole", () => expect(run({ done: 12, total: 10 })[0]?.share).toBe(1));
});

it.each([
  [{ done: 412, total: 1203 }, "412 of 1,203 reads"],
  [{ done: 0, total: 1 }, "0 of 1 read"],
  [{ done: 3 }, "3 reads"],
  [{}, ""],
])("%j", (part, words) => expect(workWords(progress(part))).toBe(words));

it("names phases in words, those of a later service too", () => {
  expect(phaseWord("")).toBe("Starting");
  expect(phaseWord("collect")).toBe("Reading the account");
  expect(phaseWord("resolve")).toBe("Looking up names");
  expect(phaseWord("polish")).toBe("Working");
});

it("keeps the end of a job when an older answer arrives late", () => {
  const job = (state: Job["state"]) => ({ id: "j", state }) as Job;
  expect(newest(job("succeeded"), job("running")).state).toBe("succeeded");
  expect(newest(job("running"), job("succeeded")).state).toBe("succeeded");
  expect(newest(undefined, job("queued")).state).toBe("queued");
});

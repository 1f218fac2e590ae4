import { expect, it } from "vitest";
import { pollInterval } from "./polling";

const state = { since: 0, now: 0, hidden: false, ended: false, streaming: false, failures: 0 };

it.each([
  [{ now: 0 }, 1_000],
  [{ now: 29_999 }, 1_000],
  [{ now: 30_000 }, 3_000],
  [{ now: 299_999 }, 3_000],
  [{ now: 300_000 }, 10_000],
  [{ now: 0, hidden: true }, 3_000],
  [{ now: 300_000, hidden: true }, 30_000],
  [{ now: 0, failures: 1 }, 2_000],
  [{ now: 0, failures: 3 }, 8_000],
  [{ now: 300_000, failures: 9 }, 60_000],
  [{ now: 0, failures: 1000 }, 60_000],
  [{ ended: true }, false],
  [{ streaming: true }, false],
] as const)("%j", (part, wait) => expect(pollInterval({ ...state, ...part })).toBe(wait));

import { describe, expect, it } from "vitest";
import { age, dayOf, duration, moment, utc, zoneName } from "./time";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const before = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

describe("age", () => {
  it.each([
    [0, "just now"],
    [-30, "just now"],
    [5, "5 seconds ago"],
    [59, "59 seconds ago"],
    [60, "1 minute ago"],
    [3599, "59 minutes ago"],
    [3600, "1 hour ago"],
    [47 * 3600, "47 hours ago"],
    [48 * 3600, "2 days ago"],
    [400 * 86400, "400 days ago"],
  ])("%d seconds", (seconds, words) => expect(age(before(seconds), NOW)).toBe(words));

  it("does not make an age of what is no date", () => expect(age("soon", NOW)).toBe("at an unknown time"));
});

describe("duration", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1000, "1 s"],
    [59_499, "59 s"],
    [59_600, "1 min"],
    [72_000, "1 min 12 s"],
    [3_600_000, "1 h"],
    [5_400_000, "1 h 30 min"],
    [-1, "unknown"],
    [Number.NaN, "unknown"],
  ])("%d ms", (ms, words) => expect(duration(ms)).toBe(words));
});

describe("utc", () => {
  it("gives minutes", () => expect(utc("2026-03-01T12:34:56.789Z")).toBe("2026-03-01 12:34 UTC"));
  it("keeps what is no date", () => expect(utc("soon")).toBe("soon"));
});

it("says an instant where the reader is, to the minute, and leaves alone what is none", () => {
  const there = new Date(2026, 10, 25, 8, 6, 59);
  expect(moment(there.toISOString())).toBe("25 Nov 2026, 08:06");
  expect(moment("soon")).toBe("soon");
});

it("names the zone and the day of an instant, and leaves alone what is none", () => {
  expect(zoneName("2026-03-01T12:00:00Z")).not.toBe("");
  expect(zoneName("soon")).toBe("");
  expect(dayOf(new Date(2026, 10, 25, 8).toISOString())).toBe("25 Nov 2026");
  expect(dayOf("soon")).toBe("soon");
});

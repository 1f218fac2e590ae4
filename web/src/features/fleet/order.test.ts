import { expect, it } from "vitest";
import type { Account, AssessmentSummary, Schedule } from "../../api/types";
import { type FleetRow, fleetSearch, nextRunOf, ordered } from "./order";

const row = (name: string, score?: number, completedAt = "2026-01-01T00:00:00Z", attackPaths = 0): FleetRow => ({
  account: { id: name, name } as Account,
  latest:
    score === undefined ? undefined : ({ score: { value: score }, completedAt, attackPaths } as AssessmentSummary),
  attempt: undefined,
  job: undefined,
  nextRun: undefined,
});
const rows = [
  row("b", 80, "2026-01-03T00:00:00Z", 4),
  row("a", 80),
  row("never"),
  row("c", 20, "2026-01-02T00:00:00Z"),
];

it.each([
  ["worst", ["never", "c", "a", "b"]],
  ["name", ["a", "b", "c", "never"]],
  ["newest", ["b", "c", "a", "never"]],
  ["oldest", ["never", "a", "c", "b"]],
  ["paths", ["b", "a", "c", "never"]],
] as const)("%s", (order, names) => expect(ordered(rows, order).map((r) => r.account.name)).toEqual(names));

it.each([
  [{}, undefined],
  [{ sort: "worst" }, undefined],
  [{ sort: "name" }, "name"],
  [{ sort: "<b>" }, undefined],
  [{ sort: 7 }, undefined],
])("%j", (raw, sort) => expect(fleetSearch(raw)).toEqual({ sort }));

it("takes the next run of what is not paused", () => {
  const schedule = (account: string, at: string, paused = false) =>
    ({ account, paused, nextRuns: at === "" ? [] : [at] }) as unknown as Schedule;
  const all = [
    schedule("x", "2026-03-02"),
    schedule("x", "2026-03-01"),
    schedule("x", "2026-01-01", true),
    schedule("y", ""),
  ];
  expect(nextRunOf(all, "x")).toBe("2026-03-01");
  expect(nextRunOf(all, "y")).toBeNull();
});

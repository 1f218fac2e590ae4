import { describe, expect, it } from "vitest";
import type { Finding, Plan } from "../../api/types";
import { applyWords, byResource, changesFor, countdown, diffOf, inputsOf, inputValue } from "./plan";
import { remediationSearch, stepOf } from "./search";

const finding = (id: string, severity: string, resource: string) =>
  ({ id, severity, resource: { type: "zone", id: resource, name: resource } }) as unknown as Finding;

describe("diffOf", () => {
  it("names each member that differs", () => {
    expect(diffOf({ a: 1, b: { c: true, d: 2 } }, { a: 1, b: { c: false, d: 2 } })).toEqual([
      { path: "b.c", before: "true", after: "false" },
    ]);
  });
  it("shows an object that comes or goes member by member", () => {
    expect(diffOf(null, { on: true })).toEqual([{ path: "on", before: undefined, after: "true" }]);
    expect(diffOf({ on: true }, null)).toEqual([{ path: "on", before: "true", after: undefined }]);
  });
  it("compares lists and scalars whole", () => {
    expect(diffOf(["a"], ["a", "b"])).toEqual([{ path: "", before: '["a"]', after: '["a","b"]' }]);
    expect(diffOf(1, 1)).toEqual([]);
    expect(diffOf({ a: null }, {})).toEqual([{ path: "a", before: "null", after: undefined }]);
  });
});

it("groups by resource, the worst first", () => {
  const groups = byResource([finding("1", "low", "x"), finding("2", "high", "x"), finding("3", "critical", "y")]);
  expect(groups.map((group) => [group.name, group.findings.map(({ id }) => id)])).toEqual([
    ["y", ["3"]],
    ["x", ["2", "1"]],
  ]);
});

it("sends inputs of chosen checks only, as JSON where they are some", () => {
  expect(inputValue('["a"]')).toEqual(["a"]);
  expect(inputValue(" mailto:x@example.com ")).toBe("mailto:x@example.com");
  expect(inputsOf({ "A b": "1", "A c": " ", "B d": "x" }, ["A"])).toEqual({ A: { b: 1 } });
});

it("chooses the changes of the chosen findings", () => {
  const plan = {
    changes: [
      { id: "c1", findingId: "1" },
      { id: "c2", findingId: "2" },
    ],
  } as unknown as Plan;
  expect(changesFor(plan, ["2", "9"])).toEqual(["c2"]);
});

it("says what the button does and how long a plan holds", () => {
  expect(applyWords(1, "Acme")).toBe("Apply 1 change to Acme");
  expect(countdown("2026-01-01T00:01:05Z", Date.parse("2026-01-01T00:00:00Z"))).toBe("1:05");
  expect(countdown("2026-01-01T00:00:00Z", Date.parse("2026-01-01T00:00:00Z"))).toBeUndefined();
  expect(countdown("never", 0)).toBeUndefined();
});

it("keeps the step in the address", () => {
  expect(stepOf(remediationSearch({}))).toBe(0);
  expect(stepOf(remediationSearch({ step: "authorise" }))).toBe(0);
  expect(stepOf(remediationSearch({ plan: "p" }))).toBe(1);
  expect(stepOf(remediationSearch({ plan: "p", step: "authorise" }))).toBe(2);
  expect(stepOf(remediationSearch({ plan: "p", job: "j" }))).toBe(3);
});

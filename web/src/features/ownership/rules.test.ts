import { expect, it } from "vitest";
import type { Account } from "../../api/types";
import { daysOf, dueWords, ownershipOf, rowOf, ruleWords } from "./rules";

it("says a rule as a sentence", () => {
  const accounts = [{ id: "1", providerId: "acc", name: "northwind" }] as Account[];
  expect(ruleWords({ owner: "Edge" })).toBe("Edge owns every issue.");
  expect(ruleWords({ owner: "Edge", severity: "critical" })).toBe("Edge owns critical issues.");
  expect(
    ruleWords({ owner: "Edge", zone: "*.example", category: "dns", account: "acc", severity: "low" }, accounts),
  ).toBe("Edge owns low issues of the category dns in the account northwind that hit a zone named *.example.");
  expect(ruleWords({ owner: "Edge", label: "production" })).toBe("Edge owns issues in accounts labelled production.");
  expect(ruleWords({ owner: "\u202Eegde", account: "gone" }, accounts)).toBe(
    "[U+202E]egde owns issues in the account gone.",
  );
});

it("says when issues are due", () => {
  expect([0, 1, 30].map(dueWords)).toEqual(["never", "1 day after they began", "30 days after they began"]);
});

it("sends what was typed, and leaves out what was not", () => {
  const sla = { critical: 7, high: 30, medium: 90, low: 0 };
  const rules = [
    { owner: "Edge", severity: "high" as const },
    { owner: "Web", zone: "*.example" },
  ];
  expect(ownershipOf(rules.map(rowOf), daysOf(sla))).toEqual({ rules, sla });
  expect(ownershipOf([{ ...rowOf({ owner: " Edge " }), zone: " " }], daysOf(sla)).rules).toEqual([{ owner: "Edge" }]);
});

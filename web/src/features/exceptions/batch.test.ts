import { expect, it } from "vitest";
import type { Exception, ExceptionPreview, Finding } from "../../api/types";
import { partsOf, sumOf, sumWords } from "./batch";
import { fits, isAbout, matchWords } from "./match";

const chosen = (account: string, checkId: string, resourceId: string) => ({
  id: `${checkId}${resourceId}`,
  account,
  checkId,
  resourceId,
});

it("is about the chosen findings and no other", () => {
  const all = [
    chosen("a", "C1", "1"),
    chosen("a", "C1", "2"),
    chosen("a", "C2", "2"),
    chosen("a", "C2", "1"),
    chosen("a", "C3", "1"),
    chosen("b", "C1", "1"),
  ];
  const parts = partsOf(all);
  expect(parts).toEqual([
    { account: "a", match: { checkIds: ["C1", "C2"], resourceIds: ["1", "2"] } },
    { account: "a", match: { checkIds: ["C3"], resourceIds: ["1"] } },
    { account: "b", match: { checkIds: ["C1"], resourceIds: ["1"] } },
  ]);
  // Every check on every resource of a part, and nothing twice, is what was chosen.
  const named = parts.flatMap(({ account, match }) =>
    (match.checkIds ?? []).flatMap((check) => (match.resourceIds ?? []).map((id) => `${account} ${check} ${id}`)),
  );
  expect(named.sort()).toEqual(
    all.map(({ account, checkId, resourceId }) => `${account} ${checkId} ${resourceId}`).sort(),
  );
});

it("stays within what the service takes at once", () => {
  const parts = partsOf(Array.from({ length: 2500 }, (_, n) => chosen("a", "C", String(n))));
  expect(parts.map(({ match }) => match.resourceIds?.length)).toEqual([1000, 1000, 500]);
  expect(partsOf([])).toEqual([]);
});

it("adds previews up and counts a path once", () => {
  const path = { id: "p", title: "", severity: "high" };
  const one = { findings: 40, bySeverity: { critical: 2, low: 38 }, onAttackPaths: 1, attackPaths: [path] };
  const two = { findings: 1, bySeverity: { low: 1 }, onAttackPaths: 1, attackPaths: [path] };
  expect(sumWords(sumOf([one, two] as unknown as ExceptionPreview[]))).toBe(
    "Hides 41 findings, 2 critical, on 1 attack path.",
  );
  expect(sumWords(sumOf([]))).toBe("Hides 0 findings, on no attack path.");
});

it.each([
  ["*", "", true],
  ["*.shop.example", "www.SHOP.example", true],
  ["*.shop.example", "shop.example", false],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["*a*b*", "xxaxxbxx", true],
  ["a*a", "a", false],
  ["", "x", false],
])("%s fits %s: %s", (pattern, text, want) => expect(fits(pattern, text)).toBe(want));

it("decides like the service what an exception is about", () => {
  const finding = {
    checkId: "C",
    severity: "high",
    resource: { id: "1", name: "www.x.example", zoneId: "z", zone: "X.example" },
  };
  const about = (match: object, account?: string) =>
    isAbout({ match, account } as Exception, finding as unknown as Finding, ["acc", "reg"]);
  expect(about({ checkIds: ["C"], zones: ["x.EXAMPLE"] })).toBe(true);
  expect(about({ checkIds: ["C"], zones: ["z"] }, "reg")).toBe(true);
  expect(about({ checkIds: ["C"] }, "other")).toBe(false);
  expect(about({ checkIds: ["C", "D"], resourceIds: ["2"] })).toBe(false);
  expect(about({ pattern: "x.example" })).toBe(true);
  expect(about({ severities: ["low"], pattern: "*" })).toBe(false);
  expect(matchWords({ checkIds: ["A", "B", "C", "D"], pattern: "*.x" })).toBe("4 checks (A, B, …) · named *.x");
});

import { expect, it } from "vitest";
import type { Exception, Finding } from "../../api/types";
import { fits, isAbout, matchWords } from "./match";

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

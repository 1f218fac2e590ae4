import { expect, it } from "vitest";
import { integer, percent, plural } from "./number";

it.each([
  [100, "100 %"],
  [99.96, "99.9 %"],
  [93.44, "93.4 %"],
  [0.3, "0.3 %"],
  [0, "0 %"],
  [Number.NaN, "unknown"],
])("a share of %d", (n, words) => expect(percent(n)).toBe(words));

it("groups digits", () => expect(integer(1234567)).toBe("1,234,567"));
it("does not show a missing number as zero", () => expect(integer(Number.NaN)).toBe("unknown"));
it("counts", () => {
  expect(plural(1, "check")).toBe("1 check");
  expect(plural(0, "check")).toBe("0 checks");
  expect(plural(2, "entry", "entries")).toBe("2 entries");
});

import { expect, it } from "vitest";
import { endOf, expiryDays } from "./expiry";

it("offers only days the service takes", () => {
  const now = new Date(2026, 2, 1, 23, 59).getTime();
  const { first, last, usual } = expiryDays(now);
  expect([first, usual]).toEqual(["2026-03-02", "2026-05-30"]);
  expect(Date.parse(endOf(last) ?? "") - now).toBeLessThanOrEqual(400 * 86_400_000);
  expect(Date.parse(endOf(first) ?? "")).toBeGreaterThan(now);
  expect(endOf("soon")).toBeUndefined();
});

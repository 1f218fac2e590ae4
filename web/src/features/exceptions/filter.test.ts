import { expect, it } from "vitest";
import type { Exception } from "../../api/types";
import { filtered, hiddenBy } from "./filter";

const one = (id: string, part: object) =>
  ({ id, match: {}, reason: "", owner: "", state: "active", ...part }) as unknown as Exception;
const all = [
  one("1", { reason: "Legacy mail", match: { checkIds: ["CFL-EMAIL-005"] } }),
  one("2", { owner: "ops", state: "expired", account: "a", match: { pattern: "*.old.example" } }),
  one("3", { state: "revoked", account: "b", match: { zones: ["x.example"], severities: ["low"] } }),
];
const ids = (search: object) =>
  filtered(all, search)
    .map(({ id }) => id)
    .join("");

it.each([
  [{}, "123"],
  [{ state: "expired" }, "2"],
  [{ account: "a" }, "12"],
  [{ q: "MAIL" }, "1"],
  [{ q: "old.ex" }, "2"],
  [{ exception: "3" }, "3"],
  [{ state: "active", q: "ops" }, ""],
])("%j leaves %s", (search, want) => expect(ids(search)).toBe(want));

it("leads to what it hides where a filter can say it", () => {
  expect(hiddenBy(all[0] as Exception)).toEqual({ check: "CFL-EMAIL-005", exception: "only" });
  expect(hiddenBy(all[1] as Exception)).toBeUndefined();
  expect(hiddenBy(all[2] as Exception)).toEqual({
    zone: "x.example",
    severity: "low",
    account: "b",
    exception: "only",
  });
  expect(hiddenBy(one("4", { match: { resourceIds: ["r".repeat(2000)] } }))).toBeUndefined();
});

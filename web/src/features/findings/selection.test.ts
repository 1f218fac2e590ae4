import { expect, it } from "vitest";
import type { Finding } from "../../api/types";
import { NOTHING, selectable, toggledRows } from "./selection";

const row = (id: string, result = "FAIL", exception?: string) =>
  ({ id, result, exception, checkId: "c", resource: { id: `r${id}` } }) as unknown as Finding;
const rows = [row("0"), row("1", "PASS"), row("2", "UNKNOWN"), row("3", "FAIL", "e"), row("4", "WARNING")];
const of = () => "acc";
const ids = (selection: ReadonlyMap<string, unknown>) => [...selection.keys()].sort().join("");

it("offers only what can be accepted", () =>
  expect(rows.filter(selectable).map(({ id }) => id)).toEqual(["0", "2", "4"]));

it("selects one, a range in both directions, and takes a range back", () => {
  const one = toggledRows(NOTHING, rows, 0, undefined, of);
  expect(one.get("0")).toEqual({ id: "0", checkId: "c", resourceId: "r0", account: "acc" });
  const all = toggledRows(one, rows, 4, 0, of);
  expect(ids(all)).toBe("024");
  expect(ids(toggledRows(all, rows, 2, 4, of))).toBe("0");
  expect(ids(toggledRows(NOTHING, rows, 0, 4, of))).toBe("024");
  expect(toggledRows(one, rows, 1, undefined, of)).toBe(one);
  expect(toggledRows(one, rows, 9, undefined, of)).toBe(one);
});

import { expect, it } from "vitest";
import type { Finding } from "../../api/types";
import { everyRow, NOTHING, type Selection, toggledRows } from "./selection";

const row = (id: string, result = "FAIL", exception?: string) => ({ id, result, exception }) as unknown as Finding;
const rows = [row("0"), row("1", "PASS"), row("2", "UNKNOWN"), row("3", "FAIL", "e"), row("4", "WARNING")];
const ids = (selection: Selection) => [...selection].sort().join("");

it("offers only what can be accepted", () => expect(ids(everyRow(rows))).toBe("024"));

it("selects one, a range in both directions, and takes a range back", () => {
  const one = toggledRows(NOTHING, rows, 0, undefined);
  expect(ids(one)).toBe("0");
  const all = toggledRows(one, rows, 4, 0);
  expect(ids(all)).toBe("024");
  expect(ids(toggledRows(all, rows, 2, 4))).toBe("0");
  expect(ids(toggledRows(NOTHING, rows, 0, 4))).toBe("024");
  expect(toggledRows(one, rows, 1, undefined)).toBe(one);
  expect(toggledRows(one, rows, 9, undefined)).toBe(one);
});

import { expect, it } from "vitest";
import { worstZones } from "./zones";

const zone = (name: string, value?: number) => ({
  id: name,
  name,
  plan: "free",
  status: "active",
  ...(value !== undefined && { score: { value, grade: null } }),
});

it("lists the lowest scores first, and leaves out what has none", () => {
  const { rows, more } = worstZones([
    zone("b.example", 70),
    zone("old.example"),
    zone("a.example", 70),
    zone("c.example", 3),
  ]);
  expect(rows.map(({ name }) => name)).toEqual(["c.example", "a.example", "b.example"]);
  expect(more).toBe(0);
});

it("lists ten", () => {
  const { rows, more } = worstZones(Array.from({ length: 13 }, (_, i) => zone(`z${i}.example`, i)));
  expect([rows.length, rows.at(-1)?.score.value, more]).toEqual([10, 9, 3]);
});

import { expect, it } from "vitest";
import type { Drift, DriftDifference } from "../../api/types";
import { driftSearch } from "./search";
import { isSame, KINDS, sectionsOf } from "./sections";

const entry = (id: string, category: string) => ({ id, category }) as DriftDifference;
const none = {
  new: [],
  regressed: [],
  improved: [],
  resolved: [],
  changed: [],
  unknown: [],
  paths: { appeared: [], disappeared: [], unknown: [] },
} as unknown as Drift;
const ID = "0195f2a0-0000-7000-8000-000000000001";

it("leaves only regressions, and only a category", () => {
  const drift = { ...none, new: [entry("a", "dns"), entry("b", "ssl")], resolved: [entry("c", "dns")] };
  expect(sectionsOf(drift, {}).map(({ title, entries }) => [title, entries.length])).toEqual([
    ["New", 2],
    ["Regressed", 0],
    ["Became unreadable", 0],
    ["Improved", 0],
    ["Resolved", 1],
    ["Changed", 0],
  ]);
  expect(
    sectionsOf(drift, { only: "worse", category: "dns" }).map(({ entries }) => entries.map(({ id }) => id)),
  ).toEqual([["a"], []]);
});

it("knows when nothing differs", () => {
  expect(isSame(none)).toBe(true);
  for (const { list } of KINDS) expect(isSame({ ...none, [list]: [entry("a", "dns")] })).toBe(false);
  expect(isSame({ ...none, paths: { ...none.paths, unknown: [{} as never] } })).toBe(false);
});

it.each([
  [{}, {}],
  [
    { from: ID, to: ID, only: "worse", category: "dns" },
    { from: ID, to: ID, only: "worse", category: "dns" },
  ],
  [{ from: "latest", to: "<b>", only: "better", category: 3 }, {}],
])("validates %j", (raw, search) =>
  expect(driftSearch(raw)).toEqual({ from: undefined, to: undefined, only: undefined, category: undefined, ...search }),
);

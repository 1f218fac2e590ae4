import { expect, it } from "vitest";
import { type Entry, type Group, matching } from "./entries";

const entry = (group: Group, name: string, part: Partial<Entry> = {}): Entry => ({
  id: `${group} ${name}`,
  group,
  name,
  run: () => {},
  ...part,
});
const names = (entries: Entry[], text: string) =>
  matching(entries, text).map(({ group, entries }) => [group, ...entries.map(({ name }) => name)]);

const some = [
  entry("Zones", "shop.example"),
  entry("Pages", "Settings"),
  entry("Pages", "Account settings"),
  entry("Checks", "CFL-SSL-001", { hint: "Encrypted to the origin" }),
];

it("offers pages before a word is typed, and no long lists", () =>
  expect(names(some, " ")).toEqual([["Pages", "Settings", "Account settings"]]));

it("finds every word, in name and hint, in any order and case", () => {
  expect(names(some, "ORIGIN ssl")).toEqual([["Checks", "CFL-SSL-001"]]);
  expect(names(some, "origin shop")).toEqual([]);
});

it("puts what begins with the text first", () =>
  expect(names([...some].reverse(), "settings")).toEqual([["Pages", "Settings", "Account settings"]]));

it("keeps what the service found, whatever it looked into", () =>
  expect(names([entry("Findings", "weak cipher", { found: true })], "10.0.0.1")).toEqual([
    ["Findings", "weak cipher"],
  ]));

it("says how many it leaves out", () => {
  const zones = Array.from({ length: 900 }, (_, i) => entry("Zones", `z${i}.example`));
  expect(matching(zones, "example").map(({ entries, more }) => [entries.length, more])).toEqual([[6, 894]]);
});

import { expect, it } from "vitest";
import type { Vocabulary } from "./query";
import { suggestions } from "./suggest";

const known: Vocabulary = {
  categories: ["dns", "ssl"],
  zones: ["shop.example", "static.example"],
  checks: ["CFL-SSL-001", "CFL-SSL-002"],
  leavesOut: true,
};
const words = (text: string, vocabulary = known) => suggestions(text, vocabulary).map(({ word }) => word);

it.each([
  ["", []],
  ["s", ["sev:", "state:"]],
  ["sev:", ["sev:critical", "sev:high", "sev:medium", "sev:low", "sev:informational"]],
  ["sev:critical,h", ["sev:critical,high"]],
  ["-cat:d", ["-cat:dns"]],
  ["crit", ["sev:critical"]],
  ["x zone:stat", ["zone:static.example"]],
  ["zone:.ex", ["zone:shop.example", "zone:static.example"]],
  ["zone:shop.example", []],
  ["check:001", ["check:CFL-SSL-001"]],
  ["colour:r", []],
  ['"sev:', []],
  ['"a sev:', []],
  ["sev:high ", []],
])("suggests for %j", (text, want) => expect(words(text)).toEqual(want));

it("puts the word in place of the last term", () =>
  expect(suggestions("sev:high zone:sh", known)[0]?.text).toBe("sev:high zone:shop.example "));

it("names no field that the list lacks", () => expect(words("f", { ...known, lacks: ["remediable"] })).toEqual([]));

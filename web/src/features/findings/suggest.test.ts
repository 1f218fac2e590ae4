import { expect, it } from "vitest";
import type { Facets } from "../../api/types";
import type { Vocabulary } from "./query";
import { suggestions } from "./suggest";

const known: Vocabulary = {
  categories: ["dns", "ssl"],
  zones: ["shop.example", "static.example"],
  checks: ["CFL-SSL-001", "CFL-SSL-002"],
  leavesOut: true,
};
const titles = new Map([
  ["CFL-SSL-001", "The origin is encrypted"],
  ["CFL-SSL-002", "Certificates are validated"],
]);
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

it("says what a field asks for, how many a value lists, and what a check is about", () => {
  const counts = {
    severity: { critical: 1 },
    exception: { only: 3 },
    result: { FAIL: 7 },
    zone: { "static.example": 4 },
  } as unknown as Facets;
  const means = (text: string) => suggestions(text, { ...known, counts }, titles).map(({ means }) => means);
  expect(means("sta")).toEqual(["open, reopened or resolved", "4 findings"]);
  expect(means("sev:c")).toEqual(["1 finding"]);
  expect(means("sev:l")).toEqual(["0 findings"]);
  expect(means("result:f")).toEqual(["7 findings"]);
  expect(means("accepted:y")).toEqual(["3 findings"]);
  expect(means("check:002")).toEqual(["Certificates are validated"]);
});

it("finds a check by words of its title, with the field or without", () => {
  const words = (text: string) => suggestions(text, known, titles).map(({ word }) => word);
  expect(words("check:VALID")).toEqual(["check:CFL-SSL-002"]);
  const counts = { check: { "CFL-SSL-002": 1 } } as unknown as Facets;
  const found = suggestions("check:ted", { ...known, counts }, titles).map(({ word }) => word);
  expect(found, "what lists nothing comes last").toEqual(["check:CFL-SSL-002", "check:CFL-SSL-001"]);
  expect(words("-valid")).toEqual(["-check:CFL-SSL-002"]);
});

import { expect, it } from "vitest";
import { BLANK, formOf, requestOf, scopeWords } from "./form";

it("asks for nothing in particular when nothing was chosen", () => expect(requestOf(BLANK)).toEqual({}));

it("sends what was chosen", () => {
  expect(requestOf({ zones: " a.example, *.b.example\n,", categories: ["dns"], profile: "core", note: " x " })).toEqual(
    {
      zones: ["a.example", "*.b.example"],
      categories: ["dns"],
      profile: "core",
      note: "x",
    },
  );
});

it("shows a request as the form that makes it", () => {
  const request = { zones: ["a.example", "*.b.example"], categories: ["dns"], profile: "core" as const, note: "x" };
  expect(requestOf(formOf(request))).toEqual(request);
  expect(formOf({})).toEqual(BLANK);
});

it("says what a request looks at", () => {
  expect(scopeWords({})).toBe("");
  expect(scopeWords({ zones: [], profile: "full" })).toBe("");
  const all = { zones: ["*.b.example", "x\u202e"], excludeZones: ["c"], categories: ["dns"], checks: ["A", "B"] };
  expect(scopeWords({ ...all, profile: "core" })).toBe(
    "zones *.b.example, x[U+202E]; not c; 1 category; 2 checks; the core profile",
  );
});

import { expect, it } from "vitest";
import { freeText, parseSearch, pickWords, stringifySearch } from "./url";

it("reads and writes the same parameters", () => {
  const search = { q: "a b&c=d#e+f%", zone: "münchen.example", severity: "critical,high" };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
});

it("keeps commas readable", () => expect(stringifySearch({ result: "FAIL,WARNING" })).toBe("?result=FAIL,WARNING"));
it("leaves out what is empty", () => expect(stringifySearch({ a: undefined, b: "", c: null })).toBe(""));
it("keeps digits a string", () => expect(parseSearch("?q=007")).toEqual({ q: "007" }));
it("takes the first of a repeated name", () => expect(parseSearch("?q=1&q=2")).toEqual({ q: "1" }));
it("has no inherited names", () => expect(Object.keys(parseSearch("?__proto__=x"))).not.toContain("toString"));

it.each([
  ["b,a", ["a", "b"]],
  ["B , x,b", ["b"]],
  ["", []],
  [undefined, []],
  [7, []],
])("picks known words of %j", (value, words) => expect(pickWords(value, ["a", "b"])).toEqual(words));

it.each([
  ["  x ", "x"],
  ["   ", undefined],
  ["abcdef", "abc"],
  [3, undefined],
])("takes text %j", (value, text) => expect(freeText(value, 3)).toBe(text));

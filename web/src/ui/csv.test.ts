import { expect, it } from "vitest";
import { csvCell, csvOf } from "./csv";

it.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["-2", "'-2"],
  ["\t=1", "'\t'=1"],
  ["\r=1", "'[U+000D]'=1"],
  [" =1+1", "' =1+1"],
  ["\u00A0=1", "'\u00A0=1"],
  ["＝1", "'＝1"],
  ["x;=1", "x;'=1"],
  ["a-b", "a-b"],
  ['a"b', '"a""b"'],
  ["a\r\nb", '"a[U+000D]\nb"'],
  ["\u202Ex", "[U+202E]x"],
])("keeps %j inert", (text, want) => expect(csvCell(text)).toBe(want));

it("writes a table", () =>
  expect(
    csvOf(
      [
        ["a", ({ a }) => a],
        ["b", () => "x,y"],
      ] as [string, (row: { a: string }) => string][],
      [{ a: "=1" }],
    ),
  ).toBe('a,b\r\n\'=1,"x,y"\r\n'));

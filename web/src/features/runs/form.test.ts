import { expect, it } from "vitest";
import { BLANK, requestOf } from "./form";

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

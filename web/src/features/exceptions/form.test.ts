import { expect, it } from "vitest";
import { scopeOf } from "./form";

function form(given: Record<string, string | string[]>): FormData {
  const values = new FormData();
  for (const [name, value] of Object.entries(given)) for (const each of [value].flat()) values.append(name, each);
  return values;
}

it("reads what an exception is about, and sends no empty list", () => {
  expect(
    scopeOf(
      form({
        account: "acc",
        checkIds: "CFL-1, CFL-2\nCFL-1",
        zones: "",
        severities: ["low", "high"],
        pattern: " *.x ",
      }),
    ),
  ).toEqual({ account: "acc", match: { checkIds: ["CFL-1", "CFL-2"], severities: ["high", "low"], pattern: "*.x" } });
  expect(scopeOf(form({ account: "", resourceIds: "r1" }))).toEqual({ match: { resourceIds: ["r1"] } });
  expect(scopeOf(form({ account: "acc", pattern: "  " }))).toBeUndefined();
});

import { expect, it } from "vitest";
import { BLANK, draftOf, grantOf } from "./grant";

it("never sends a grant for some accounts as one for all", () => {
  expect(grantOf({ ...BLANK, everywhere: false, labels: " , " })).toBeUndefined();
  expect(grantOf({ ...BLANK, accounts: ["1"], labels: "x" })).toEqual({ role: "viewer" });
});

it.each([
  { role: "operator" as const },
  { role: "operator" as const, accounts: ["1", "2"] },
  { role: "analyst" as const, labels: ["production", "eu"] },
  { role: "analyst" as const, accounts: ["1"], labels: ["production"] },
])("keeps %j as it is", (grant) => expect(grantOf(draftOf(grant))).toEqual(grant));

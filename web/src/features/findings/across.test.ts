import { expect, it } from "vitest";
import { acrossQuery, acrossSearch } from "./across";

it.each([
  [{}, {}],
  [
    { account: " acc ", status: "resolved", exception: "only", severity: "high", remediable: "yes", group: "zone" },
    { account: "acc", status: "resolved", exception: "only", severity: "high" },
  ],
  [{ status: "open", exception: "hidden", result: "nonsense" }, {}],
])("%j", (raw, want) => {
  const search = acrossSearch(raw);
  expect(acrossQuery(search)).toEqual(want);
  expect(acrossSearch({ ...search })).toEqual(search);
});

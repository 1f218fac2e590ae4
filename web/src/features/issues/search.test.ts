import { expect, it } from "vitest";
import { issuesQuery, issuesSearch, viewQuery } from "./search";
import { effortWord } from "./words";

it.each([
  [{}, {}],
  [{ sort: "rank", state: "open" }, {}],
  [
    { severity: "low,high", effort: "work,one-click", state: "all" },
    { severity: "high,low", effort: "one-click,work", state: "all" },
  ],
  [
    { category: "ssl,A B,ssl,dns", q: " x " },
    { category: "ssl,dns", q: "x" },
  ],
  [
    { new: "7", sort: "newest" },
    { new: "7", sort: "newest" },
  ],
  [{ new: "2026-11-01" }, { new: "2026-11-01" }],
  [{ new: "0", sort: "nonsense", state: "nonsense", severity: "nonsense", effort: "nonsense", category: "A B" }, {}],
  [{ new: "yesterday" }, {}],
])("%j", (raw, want) => {
  const search = issuesSearch(raw);
  expect(issuesQuery(search)).toEqual(want);
  expect(issuesSearch({ ...search })).toEqual(search);
});

it("keeps the columns in a view, which the service is not asked for", () => {
  const search = issuesSearch({ columns: "severity,what", state: "all" });
  expect(issuesQuery(search)).toEqual({ state: "all" });
  expect(viewQuery(search)).toBe("state=all&columns=severity%2Cwhat");
});

it("shows an effort it does not know by its own word", () =>
  expect([effortWord("work"), effortWord("magic")]).toEqual(["Work by hand", "magic"]));

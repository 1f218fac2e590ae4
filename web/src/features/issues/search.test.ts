import { expect, it } from "vitest";
import { issuesQuery, issuesSearch, viewQuery } from "./search";
import { effortWord, happened, stateWord, waits } from "./words";

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
  [
    { state: "in_progress", owner: " Web team,none", assignee: "ann", overdue: "yes", sort: "due" },
    { state: "in_progress", owner: "Web team,none", assignee: "ann", overdue: "yes", sort: "due" },
  ],
  [{ overdue: "no", owner: "  " }, {}],
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

it("tells what somebody did", () => {
  const say = (part: object) => happened({ id: "1", at: "", actor: "local", kind: "state", ...part });
  expect(say({ from: "open", to: "in_progress" })).toBe("set the state to In progress");
  expect(say({ actor: "run", from: "open", to: "resolved" })).toBe("found nothing of it any more: Resolved");
  expect(say({ actor: "run", from: "resolved", to: "open" })).toBe("found it again: Open");
  expect(say({ kind: "owner", to: "a" })).toBe("made a the owner");
  expect(say({ kind: "owner", from: "a" })).toBe("took the owner a away");
  expect(say({ kind: "assignee", from: "a", to: "b" })).toBe("assigned b");
  expect(say({ kind: "assignee", from: "a" })).toBe("took the assignee a away");
  expect(say({ kind: "due", to: "2031-01-02" })).toBe("set it due on 2031-01-02");
  expect(say({ kind: "due", from: "2031-01-02" })).toBe("took the day 2031-01-02 away");
  expect(say({ kind: "comment", text: "x" })).toBe("said");
  expect(say({ kind: "magic" })).toBe("changed magic");
  expect([stateWord("magic"), waits("magic"), waits("accepted"), waits("resolved")]).toEqual([
    "magic",
    true,
    false,
    false,
  ]);
});

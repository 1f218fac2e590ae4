import { describe, expect, it } from "vitest";
import type { Issue } from "../../api/types";
import { countsBy, effortWord, listed } from "./list";
import { issuesSearch } from "./search";

const issue = (rank: number, part: Partial<Issue> = {}): Issue => ({
  id: String(rank),
  accountId: "a",
  checkId: `CFL-SSL-00${rank}`,
  title: `Title ${rank}`,
  severity: "high",
  category: "ssl",
  resources: 1,
  zones: 1,
  paths: 0,
  rank,
  reason: "",
  effort: "settings",
  remediable: 0,
  state: "open",
  firstSeen: "2026-11-01T00:00:00Z",
  exceptions: 0,
  ...part,
});

const all = [
  issue(1, { severity: "critical", paths: 3, effort: "one-click" }),
  issue(2, { category: "dns", resources: 9, title: "Names that can be taken over" }),
  issue(3, { state: "accepted", firstSeen: "2026-10-01T00:00:00Z" }),
  issue(4, { resources: 9, paths: 3, firstSeen: "2026-11-02T00:00:00Z" }),
];
const ranks = (search: Record<string, string>) => listed(all, issuesSearch(search)).map(({ rank }) => rank);

describe("the list of issues", () => {
  it.each([
    [{}, [1, 2, 4]],
    [{ state: "accepted" }, [3]],
    [{ state: "all" }, [1, 2, 3, 4]],
    [{ severity: "high,low" }, [2, 4]],
    [{ category: "dns" }, [2]],
    [{ effort: "one-click" }, [1]],
    [{ q: "TAKEN names" }, [2]],
    [{ q: "ssl-004" }, [4]],
    [{ q: "nothing like it" }, []],
    [{ sort: "resources" }, [2, 4, 1]],
    [{ sort: "paths" }, [1, 4, 2]],
    [{ sort: "oldest", state: "all" }, [3, 1, 2, 4]],
    [{ sort: "newest" }, [4, 1, 2]],
    [{ sort: "nonsense", state: "nonsense", severity: "nonsense", effort: "nonsense", category: "A B" }, [1, 2, 4]],
  ] as [Record<string, string>, number[]][])("%j", (search, want) => expect(ranks(search)).toEqual(want));

  it("counts what each value of a filter would leave", () => {
    const search = issuesSearch({ severity: "critical" });
    expect([...countsBy(all, search, "severity")]).toEqual([
      ["critical", 1],
      ["high", 2],
    ]);
    expect([...countsBy(all, search, "category")]).toEqual([["ssl", 1]]);
    expect([...countsBy(all, {}, "state")]).toEqual([
      ["open", 3],
      ["accepted", 1],
    ]);
  });

  it("shows an effort it does not know by its own word", () => {
    expect([effortWord("work"), effortWord("magic")]).toEqual(["Work by hand", "magic"]);
  });
});

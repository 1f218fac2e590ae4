import { expect, test } from "vitest";
import { runBefore } from "./before";

test("a run is compared with the newest earlier one that looked at as much", () => {
  const few = { checks: ["CFL-DNS-001"] };
  const runs = [
    { id: "all", scope: undefined },
    { id: "few", scope: few },
    { id: "zone", scope: { zones: ["a.example"] } },
    { id: "few in a zone", scope: { zones: ["a.example"], ...few } },
    { id: "core", scope: { profile: "core" as const } },
    { id: "first", scope: undefined },
  ];
  for (const [id, before] of [
    ["all", "first"],
    ["few", "first"],
    ["zone", "first"],
    ["few in a zone", "first"],
    ["core", "first"],
    ["first", undefined],
    ["none", undefined],
  ]) {
    expect(runBefore(runs, id)?.id, id).toBe(before);
  }
  expect(runBefore(runs.slice(1), "few")?.id).toBe("first");
  expect(runBefore([{ id: "x", scope: { zones: ["a.example"], ...few } }, ...runs.slice(2)], "x")?.id).toBe("zone");
});

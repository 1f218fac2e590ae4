import { expect, it } from "vitest";
import type { Assessment, AttackPath } from "../../api/types";
import { cover } from "./cover";
import { unseenOf } from "./unseen";

const path = (...changes: string[]) =>
  ({ breaks: changes.map((change) => ({ change, nodeId: "n", remediable: change === "r" })) }) as AttackPath;

it("chooses changes by what they break beyond those before them", () => {
  const paths = [path("a", "b"), path("a", "b"), path("a"), path("c", "b"), path("d"), path()];
  expect(cover(paths, 2).map(({ change, paths }) => [change, paths])).toEqual([
    ["a", 3],
    ["c", 1],
  ]);
  expect(cover(paths, 9).map(({ change }) => change)).toEqual(["a", "c", "d"]);
});

it("counts a change once for each path, and of equal ones takes the one that is listed first", () => {
  expect(cover([path("a", "a", "r")], 3, [{ nodeId: "n", change: "r" }])).toEqual([
    { nodeId: "n", change: "r", remediable: true, paths: 1 },
  ]);
  expect(cover([], 3)).toEqual([]);
});

it("sums up why results could not be judged", () => {
  const findings = [
    { result: "UNKNOWN", permission: "Zone Read" },
    { result: "UNKNOWN", reason: "The read timed out." },
    { result: "FAIL", permission: "Zone Read" },
    { result: "UNKNOWN", permission: "Zone Read" },
    { result: "UNKNOWN" },
    {
      result: "UNKNOWN",
      permission: "DNS Read",
      reason: 'zone/dns could not be read: … the token may lack "DNS Read", or …',
    },
    { result: "UNKNOWN", reason: "zone/list could not be read: Cloudflare refuses the token as a whole." },
    { result: "UNKNOWN", reason: "account/pages could not be read: Cloudflare refuses the token as a whole" },
    ...["a", "b", "c", "d"].map((zone) => ({
      result: "UNKNOWN",
      reason:
        `zone/rulesets could not be read: /client/v4/zones/${zone}/rulesets got no usable answer in 5 tries: ` +
        `Cloudflare answered 500 to /client/v4/zones/${zone}/rulesets: internal error (code 1000)`,
    })),
  ] as Assessment["findings"];
  expect(unseenOf({ findings })).toEqual([
    {
      why: "No usable answer in 5 tries: Cloudflare answered 500 to a read: internal error (code 1000)",
      results: 4,
    },
    { why: "The token lacks Zone Read", results: 2 },
    { why: "Cloudflare refuses the token as a whole", results: 2 },
    { why: "The read timed out", results: 1 },
    { why: "No reason was recorded", results: 1 },
    { why: "The token may lack DNS Read, or the plan does not include it", results: 1 },
  ]);
});

import { expect, it } from "vitest";
import type { Finding } from "../../api/types";
import { findingsCsv, findingsJson } from "./exportFindings";

const head = {
  url: "https://x.example/a/1?severity=critical,high",
  account: "Acme",
  assessmentId: "r",
  at: "2026-03-01T10:00:00Z",
};
const finding = (name: string): Finding =>
  ({
    id: "f",
    checkId: "CFL-1",
    title: "T",
    message: "a, b",
    resource: { type: "zone", id: "z", name },
    category: "dns",
    severity: "high",
    result: "FAIL",
    status: "open",
    fix: "F",
    firstSeen: head.at,
    lastSeen: head.at,
    evidence: [],
    remediable: true,
  }) as unknown as Finding;

it("says in its first line where it comes from", () => {
  const lines = findingsCsv(head, [finding("x")]).split("\r\n");
  expect(lines[0]).toBe(`"# 1 finding of Acme, assessment r, 2026-03-01 10:00 UTC: ${head.url}"`);
  expect(lines[1]?.split(",").slice(0, 3)).toEqual(["finding_id", "check_id", "title"]);
  expect(lines[2]).toContain('"a, b"');
  expect(JSON.parse(findingsJson(head, [finding("x")]))).toMatchObject({ url: head.url, total: 1 });
});

it.each([
  ["=1+1", "'=1+1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["-2", "'-2"],
  ['a"b', '"a""b"'],
  ["a\r\nb", '"a[U+000D]\nb"'],
  ["\u202Ex", "[U+202E]x"],
])("keeps the name %j inert", (name, want) => expect(findingsCsv(head, [finding(name)])).toContain(`,${want},`));

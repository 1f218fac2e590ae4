import { expect, it } from "vitest";
import type { Finding } from "../api/types";
import { codeSpan, escapeMarkdown, findingMarkdown } from "./markdown";

it.each([
  ["<img src=x onerror=alert(1)>", "\\<img src=x onerror=alert\\(1\\)\\>"],
  ["[a](javascript:x)", "\\[a\\]\\(javascript\\:x\\)"],
  ["one\n# two", "one \\# two"],
  ["www.evil.example", "www\\.evil\\.example"],
])("writes %j as text", (text, out) => expect(escapeMarkdown(text)).toBe(out));

it.each([
  ["plain", "`plain`"],
  ["a`b", "``a`b``"],
  ["`x``", "``` `x`` ```"],
  ["a|b", "`a\\|b`"],
  ["a\nb", "`a b`"],
  ["", ""],
])("holds %j in a code span", (text, out) => expect(codeSpan(text)).toBe(out));

it("writes a finding whose names are hostile on the lines it has", () => {
  const finding: Finding = {
    id: "0".repeat(32),
    checkId: "CFL-DNS-009",
    checkTitle: "No record reveals the origin",
    title: "No record reveals the origin",
    category: "dns",
    severity: "high",
    result: "FAIL",
    risk: 7,
    resource: { type: "dns_record", id: "1", name: "`</td>|<script>", zone: "x\n# y.example" },
    message: "Record **a** | reveals\n\n# the origin",
    evidence: [{ source: "zone/dns", pointer: "/0/content", observed: "`|x|`", expected: "y" }],
    why: "Why.",
    fix: "Fix.",
    impact: "",
    steps: [{ where: "api", text: "Send *this*.", code: "curl '```'\n  -X POST" }],
    remediable: false,
    controls: { cis: [], soc2: [], pci: [], nist: [] },
    nodeId: "",
    attackPathIds: [],
    firstSeen: "2026-03-01T12:00:00Z",
    lastSeen: "2026-03-01T12:00:00Z",
    status: "open",
  };
  const lines = findingMarkdown(finding, "http://127.0.0.1:1/x").split("\n");
  expect(lines.filter((line) => line.startsWith("#"))).toHaveLength(1);
  const fence = lines.indexOf("````");
  expect(lines.slice(fence - 2, fence + 4)).toEqual([
    "**By API.** Send \\*this\\*\\.",
    "",
    "````",
    "curl '```'",
    "  -X POST",
    "````",
  ]);
  expect(lines.at(-2)).toBe("| `zone/dns` | `/0/content` | `` `\\|x\\|` `` | `y` |");
});

import { expect, it } from "vitest";
import type { ComplianceControl, ComplianceReport } from "../../api/types";
import { evidenceOf, groupsOf, sharesOf, statusColour, statusWord, strengthWord } from "./controls";
import { complianceSearch } from "./search";

const control = (id: string, group: string, status: ComplianceControl["status"], check = ""): ComplianceControl => ({
  id,
  group,
  status,
  title: `Title ${id}`,
  passRate: null,
  checkIds: check ? [check] : [],
  checks: check ? [{ checkId: check, strength: "shows", reason: "It shows it." }] : [],
  findingIds: [],
});
const all = [
  control("1.1", "1 Assets", "partial"),
  control("3.1", "3 Data", "fail", "CFL-SSL-001"),
  control("1.2", "1 Assets", "not_assessed"),
  control("3.2", "3 Data", "pass"),
  control("4.1", "4 Rest", "not_applicable"),
];
const ids = (search: Parameters<typeof groupsOf>[1]) =>
  groupsOf(all, search).map(({ name, controls }) => [name, controls.map(({ id }) => id)]);

it("groups in the order of the framework", () =>
  expect(ids({})).toEqual([
    ["1 Assets", ["1.1", "1.2"]],
    ["3 Data", ["3.1", "3.2"]],
    ["4 Rest", ["4.1"]],
  ]));

it("leaves what failed, what was not assessed, or what a text names", () => {
  expect(ids({ show: "failed" })).toEqual([
    ["1 Assets", ["1.1"]],
    ["3 Data", ["3.1"]],
  ]);
  expect(ids({ show: "gap" })).toEqual([["1 Assets", ["1.2"]]]);
  expect(ids({ q: "ssl-001" })).toEqual([["3 Data", ["3.1"]]]);
  expect(ids({ show: "gap", q: "ssl" })).toEqual([]);
});

it.each([
  [{}, {}],
  [
    { show: "failed", q: " tls " },
    { show: "failed", q: "tls" },
  ],
  [{ show: "all", q: 1 }, {}],
])("validates %j", (raw, search) =>
  expect(complianceSearch(raw)).toEqual({ show: undefined, q: undefined, ...search }),
);

it("says a status in words", () => {
  expect(statusWord("not_assessed")).toBe("Not assessed");
  expect(statusWord("odd")).toBe("odd");
});

it("says what a control is by its checks, the most first, also in words it does not know", () => {
  expect(["shows", "supports", "touches", "hints"].map(strengthWord)).toEqual([
    "Shown by",
    "Supported by",
    "Touched by",
    "hints",
  ]);
  const check = (checkId: string, strength: string) =>
    ({ checkId, strength, reason: "" }) as ComplianceControl["checks"][number];
  const checks = [check("a", "hints"), check("b", "touches"), check("c", "shows"), check("d", "touches")];
  expect(evidenceOf(checks).map(([strength, of]) => [strength, of.map(({ checkId }) => checkId).join()])).toEqual([
    ["shows", "c"],
    ["touches", "b,d"],
    ["hints", "a"],
  ]);
});

it("counts what was not assessed among the controls, and colours a failure as bad", () => {
  const totals = { controls: 15, pass: 1, fail: 2, partial: 3, notAssessed: 4, notApplicable: 5 };
  const shares = sharesOf({ totals } as ComplianceReport);
  expect(shares.map(({ n }) => n)).toEqual([2, 3, 1, 4, 5]);
  expect(shares.map(({ status }) => statusColour(status))).toEqual([
    "var(--bad)",
    "var(--middling)",
    "var(--good)",
    "hatch",
    "var(--line)",
  ]);
  expect(statusColour("odd")).toBe("hatch");
});

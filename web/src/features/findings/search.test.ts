import { describe, expect, it } from "vitest";
import { RESULTS } from "../../lib/result";
import { findingsQuery, findingsSearch, isFiltered, resultsOf, severitiesOf } from "./search";

const ID = "0123456789abcdef0123456789abcdef";

describe("findingsSearch", () => {
  it.each([
    [{}, {}],
    [{ result: "FAIL,WARNING,UNKNOWN" }, {}],
    [{ result: "warning,fail" }, { result: "FAIL,WARNING" }],
    [{ result: "all" }, { result: "all" }],
    [{ result: "PASS,FAIL,WARNING,UNKNOWN,NOT_APPLICABLE" }, { result: "all" }],
    [{ result: "nonsense" }, {}],
    [{ severity: "high,critical" }, { severity: "critical,high" }],
    [{ severity: "critical,high,medium,low,informational" }, {}],
    [{ severity: "info" }, { severity: "informational" }],
    [
      { category: " dns ", zone: "x.example", q: "  " },
      { category: "dns", zone: "x.example" },
    ],
    [{ q: "a".repeat(300) }, { q: "a".repeat(200) }],
    [{ finding: ID }, { finding: ID }],
    [{ finding: "../../etc" }, {}],
    [{ cursor: "x", __proto__: null }, {}],
    [{ result: 7, severity: ["high"], q: {} }, {}],
  ])("%j", (raw, search) => {
    const out = findingsSearch(raw as Record<string, unknown>);
    expect(Object.fromEntries(Object.entries(out).filter(([, value]) => value !== undefined))).toEqual(search);
    // Reading what was written changes nothing.
    expect(findingsSearch({ ...out })).toEqual(out);
  });
});

it("lists what the service lists when nothing is named", () => {
  expect(resultsOf({})).toEqual(["FAIL", "WARNING", "UNKNOWN"]);
  expect(resultsOf({ result: "all" })).toEqual(RESULTS);
  expect(severitiesOf({})).toEqual([]);
});

it("sends filters to the service, but not the open finding", () => {
  expect(findingsQuery(findingsSearch({ severity: "high", finding: ID }))).toEqual({ severity: "high" });
  expect(isFiltered(findingsSearch({ finding: ID }))).toBe(false);
  expect(isFiltered(findingsSearch({ result: "PASS" }))).toBe(true);
});

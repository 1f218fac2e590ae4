import { describe, expect, it } from "vitest";
import { formatQuery, parseQuery, type Vocabulary } from "./query";
import { type Filters, filters, NO_FILTER } from "./search";

const known: Vocabulary = {
  categories: ["dns", "ssl", "email"],
  zones: ["shop.example", "static.example", "müller.example", "xn--bcher-kva.test"],
  checks: ["CFL-ACC-001", "CFL-ACC-002", "CFL-SSL-001"],
  leavesOut: true,
};
const unknown: Vocabulary = { categories: [], zones: [], checks: [], leavesOut: true };
const set = (given: Filters) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

describe("parseQuery", () => {
  it.each<[string, Filters]>([
    ["", {}],
    ["  ", {}],
    [
      "sev:critical,high zone:shop -cat:dns check:ACC-001 free text",
      { severity: "critical,high", zone: "shop.example", category: "-dns", check: "CFL-ACC-001", q: "free text" },
    ],
    ["sev:high sev:CRIT", { severity: "critical,high" }],
    ["-sev:info,low", { severity: "critical,high,medium" }],
    ["sev:critical,high,medium,low,info", {}],
    ["result:all", { result: "all" }],
    ["result:fail", { result: "FAIL" }],
    ["-result:unknown", { result: "FAIL,WARNING" }],
    ["result:fail,warn,unk", {}],
    ["state:reopened", { status: "reopened" }],
    ["-state:resolved", { status: "open,reopened" }],
    ["fix:yes accepted:no", { remediable: "yes", exception: "hidden" }],
    ["accepted:yes", { exception: "only" }],
    ["zone:example", { zone: "shop.example,static.example,müller.example" }],
    ["zone:Bücher.test", { zone: "xn--bcher-kva.test" }],
    ["zone:(none) -zone:shop", { zone: "(none),-shop.example" }],
    ["resource:abc,d", { resource: "abc,d" }],
    ['"sev:high" x', { q: "sev:high x" }],
    ['a "b  \\"c\\"" d', { q: 'a b  "c" d' }],
    ["10.1.2.3 _dmarc", { q: "10.1.2.3 _dmarc" }],
  ])("%s", (text, want) => {
    const { filters, problems } = parseQuery(text, known);
    expect(problems).toEqual([]);
    expect(set(filters)).toEqual(want);
  });

  it.each([
    ["colour:red", "there is no field colour"],
    ["sev:awful", "there is no severity awful"],
    ["sev:", "names no value"],
    ["result:un,zz", "there is no result zz"],
    ["zone:nowhere", "there is no zone nowhere here"],
    ["check:XYZ", "there is no check XYZ"],
    ["cat:s,d,x", "there is no category x"],
    ["-text", "text cannot be left out"],
    ["-fix:yes", "fix cannot be left out"],
    ['"open', "not closed"],
    ["https://x.example", "no field https"],
  ])("tells what is wrong with %s", (text, want) => {
    expect(parseQuery(text, known).problems.join(" ")).toContain(want);
  });

  it("tells of a field that the list lacks", () =>
    expect(parseQuery("fix:yes", { ...known, lacks: ["remediable"] }).problems[0]).toContain("no field fix"));

  it("tells each bad term, and that a list cannot leave out", () => {
    expect(parseQuery("a:b c:d sev:high", known).problems).toHaveLength(2);
    expect(parseQuery("-cat:dns", { ...known, leavesOut: false }).problems).toHaveLength(1);
    const many = { ...known, zones: Array.from({ length: 21 }, (_, n) => `z${n}.example`) };
    expect(parseQuery("zone:example", many).problems[0]).toContain("21 zones");
    expect(parseQuery("zone:z7.example", many).filters.zone).toBe("z7.example");
  });
});

describe("formatQuery", () => {
  it.each<[Filters, string]>([
    [{}, ""],
    [
      { severity: "critical,high", category: "ssl,-dns", q: "free text" },
      "sev:critical,high cat:ssl -cat:dns free text",
    ],
    [{ result: "all", remediable: "no", exception: "hidden" }, "result:all fix:no accepted:no"],
    [{ q: "-x" }, '"-x"'],
    [{ q: "a:b" }, '"a:b"'],
    [{ q: "two  spaces" }, '"two  spaces"'],
  ])("%j", (given, text) => expect(formatQuery(given)).toBe(text));

  it("is read back as the same filters, whatever they are", () => {
    const texts = [
      "x",
      "a b",
      "a  b",
      '"',
      'a"b c',
      "\\",
      "sev:high",
      "-",
      "-a",
      "x,y",
      "<b>",
      "“”",
      '\\"',
      "a: b",
      ":",
    ];
    const lists = [undefined, "shop.example", "-shop.example", "a b.example,-c", "(none)", '"q".example', "\\x,-\\"];
    for (const [n, q] of texts.entries()) {
      for (const [m, zone] of lists.entries()) {
        const given = filters({
          q,
          zone,
          check: lists[(n + m) % lists.length],
          severity: ["", "critical", "high,low"][n % 3],
          result: ["", "all", "PASS", "FAIL,NOT_APPLICABLE"][m % 4],
          status: ["", "open", "reopened,resolved"][(n + m) % 3],
          remediable: ["", "yes", "no"][m % 3],
          exception: ["", "only", "hidden"][n % 3],
          resource: n % 2 ? "r 1,r2" : undefined,
        });
        const read = parseQuery(formatQuery(given), unknown);
        expect(read.problems, formatQuery(given)).toEqual([]);
        expect(set(read.filters), formatQuery(given)).toEqual(set({ ...NO_FILTER, ...given }));
      }
    }
  });
});

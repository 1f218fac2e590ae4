import { expect, it } from "vitest";
import { pathsSearch, viewQuery } from "./search";
import { kindWord, nodesOf } from "./words";

it.each([
  [{}, {}],
  [
    { severity: "high,critical", kind: "open-port", node: " zone:1 ", q: " x " },
    { severity: "critical", kind: "open-port", node: "zone:1", q: "x" },
  ],
  [{ sort: "severity", columns: "hops,<b>" }, { columns: "hops" }],
  [{ sort: "title" }, { sort: "title" }],
  [
    { breaks: "zone:1", change: " Do it. " },
    { breaks: "zone:1", change: "Do it." },
  ],
  [{ severity: "<b>", kind: "<b>", node: 7 }, {}],
])("validates %j", (raw, search) => expect(pathsSearch(raw)).toEqual(search));

it("keeps filters, order and columns in a view", () =>
  expect(viewQuery({ kind: "open-port", sort: "hops", columns: "hops,kind" })).toBe(
    "kind=open-port&sort=hops&columns=hops%2Ckind",
  ));

it("says a kind in words", () => expect(kindWord("open-access-app")).toBe("Open access app"));

it("names what is known, and shows the rest by its id", () => {
  const node = nodesOf([{ id: "zone:1", type: "zone", label: "shop.example", severity: "high" }]);
  expect(node("zone:1").label).toBe("shop.example");
  expect(node("worker:gone")).toEqual({ id: "worker:gone", type: "worker", label: "worker:gone", severity: "none" });
});

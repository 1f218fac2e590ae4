import { expect, it } from "vitest";
import { pathsSearch } from "./search";
import { kindWord, nodesOf } from "./words";

it.each([
  [{}, {}],
  [
    { severity: "high,critical", kind: "open-port", node: " zone:1 ", q: " x " },
    { severity: "critical", kind: "open-port", node: "zone:1", q: "x" },
  ],
  [{ severity: "<b>", kind: "<b>", node: 7 }, {}],
])("validates %j", (raw, search) =>
  expect(pathsSearch(raw)).toEqual({ severity: undefined, kind: undefined, node: undefined, q: undefined, ...search }),
);

it("says a kind in words", () => expect(kindWord("open-access-app")).toBe("Open access app"));

it("names what is known, and shows the rest by its id", () => {
  const node = nodesOf([{ id: "zone:1", type: "zone", label: "shop.example", severity: "high" }]);
  expect(node("zone:1").label).toBe("shop.example");
  expect(node("worker:gone")).toEqual({ id: "worker:gone", type: "worker", label: "worker:gone", severity: "none" });
});

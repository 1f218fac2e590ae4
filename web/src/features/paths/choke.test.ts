import { expect, it } from "vitest";
import type { AttackPath } from "../../api/types";
import { kindWord, matching } from "./choke";
import { pathsSearch } from "./search";

const path = (id: string, part: Partial<AttackPath> = {}): AttackPath => ({
  id,
  kind: "exposed-origin",
  title: id,
  severity: "high",
  severityReason: "",
  hopCount: 2,
  entryNodeId: "internet",
  targetNodeId: "zone:1",
  nodes: ["internet", `dns:${id}`, "zone:1"],
  edges: [],
  explanation: "",
  relatedCheckIds: [],
  remediableCheckIds: [],
  watchedBy: [],
  findingIds: [],
  breaks: [],
  ...part,
});
it("filters and puts the worst and shortest first", () => {
  const all = [path("long", { hopCount: 5 }), path("b"), path("worst", { severity: "critical", kind: "open-port" })];
  expect(matching(all, {}).map(({ id }) => id)).toEqual(["worst", "b", "long"]);
  expect(matching(all, { severity: "critical" })).toHaveLength(1);
  expect(matching(all, { kind: "exposed-origin", q: "LON" }).map(({ id }) => id)).toEqual(["long"]);
  expect(matching(all, { node: "dns:b" }).map(({ id }) => id)).toEqual(["b"]);
});

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

import { expect, it } from "vitest";
import type { AttackPath } from "../../api/types";
import { chokePoints, kindWord, matching } from "./choke";
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
const unpause = { change: "Unpause the zone.", nodeId: "zone:1", checkIds: ["A"], remediable: true };
const proxy = { change: "Proxy the record.", nodeId: "dns:a", checkIds: ["B"], remediable: true };

it("ranks changes by the paths each breaks alone, and keeps the findings they share", () => {
  const points = chokePoints([
    path("a", { breaks: [proxy, unpause], findingIds: ["f1", "f2"], relatedCheckIds: ["X"] }),
    path("b", { breaks: [{ ...unpause, remediable: false, checkIds: ["C"] }], findingIds: ["f2", "f3"] }),
    path("c"),
  ]);
  expect(points.map(({ change, paths }) => [change, paths.length])).toEqual([
    ["Unpause the zone.", 2],
    ["Proxy the record.", 1],
  ]);
  expect(points[0]).toMatchObject({ findingIds: ["f2"], checkIds: ["A", "C"], remediable: false });
});

it("counts a path once however often it names a change, and the same words at another place apart", () => {
  const points = chokePoints([path("a", { breaks: [unpause, unpause, { ...unpause, nodeId: "zone:2" }] })]);
  expect(points.map(({ nodeId, paths }) => [nodeId, paths.length])).toEqual([
    ["zone:1", 1],
    ["zone:2", 1],
  ]);
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

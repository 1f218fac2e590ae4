import { expect, it } from "vitest";
import type { GraphColumns } from "../../api/types";
import { decodeColumns, nodeOf } from "./columns";

const columns: GraphColumns = {
  version: 2,
  nodeTypes: ["internet", "zone", "service"],
  edgeTypes: ["belongs_to", "proxies"],
  severities: ["critical", "none"],
  nodes: {
    idShared: [0, 0, 10, 0],
    idRest: ["internet", "service:äa", "b", "zone:1"],
    type: [0, 2, 2, 1],
    label: ["Internet", "", "", "shop.example"],
    zone: [-1, 3, 3, 3],
    severity: [1, 0, 1, 1],
    findings: [0, 5, 0, 0],
    unknown: [0, 3, 0, 0],
    direct: [2],
  },
  edges: { from: [1, 0, 1], to: [3, 2, 3], type: [0, 1, 0] },
  stats: { nodes: 4, edges: 3, byNodeType: {}, byEdgeType: {}, bySeverity: {} },
};

it("puts ids together by bytes, labels from ids, and counts edges up", () => {
  const graph = decodeColumns(columns);
  expect(graph.ids).toEqual(["internet", "service:äa", "service:äb", "zone:1"]);
  expect(graph.labels).toEqual(["Internet", "äa", "äb", "shop.example"]);
  expect([...graph.from]).toEqual([1, 1, 2]);
  expect(graph.index.get("service:äb")).toBe(2);
  expect([...graph.direct]).toEqual([2]);
});

it("knows what a node is, and shows one it does not know by its id", () => {
  const graph = decodeColumns(columns);
  expect(nodeOf(graph, "service:äa")).toEqual({
    id: "service:äa",
    label: "äa",
    type: "service",
    severity: "critical",
    findings: 2,
    unknown: 3,
  });
  expect(nodeOf(graph, "worker:x")).toMatchObject({ label: "worker:x", type: "worker", severity: "none" });
});

it("refuses columns of another version", () => {
  expect(() => decodeColumns({ ...columns, version: 3 })).toThrow("version 3");
});

import { expect, it } from "vitest";
import type { PostureGraph } from "../../graph/columns";
import { withinHops } from "./hops";
import { Scene } from "./scene";

const NODE_TYPES = ["internet", "account", "zone", "dns_record"];

function scene(types: string[], edges: [number, number][]): Scene {
  const ids = types.map((type, i) => `${type}:${i}`);
  const graph: PostureGraph = {
    ids,
    labels: ids,
    index: new Map(),
    type: Uint8Array.from(types, (type) => NODE_TYPES.indexOf(type)),
    zone: new Int32Array(ids.length).fill(-1),
    severity: new Uint8Array(ids.length),
    findings: new Uint32Array(ids.length),
    x: Float32Array.from(ids, (_, i) => i % 300),
    y: Float32Array.from(ids, (_, i) => Math.floor(i / 300)),
    from: Uint32Array.from(edges, ([from]) => from),
    to: Uint32Array.from(edges, ([, to]) => to),
    edgeType: new Uint8Array(edges.length),
    nodeTypes: NODE_TYPES,
    edgeTypes: ["belongs_to"],
    severities: ["none"],
  };
  return new Scene(graph);
}

// The internet reaches records 3 and 6; each lies in a zone of its own, and both zones in the account.
const small = scene(
  ["internet", "account", "zone", "dns_record", "dns_record", "zone", "dns_record"],
  [
    [2, 1],
    [5, 1],
    [3, 2],
    [4, 2],
    [6, 5],
    [0, 3],
    [0, 6],
  ],
);
const reached = (node: number, hops: number) => [...withinHops(small, node, hops)].sort((a, b) => a - b);

it.each([
  ["both ways along the edges", 3, 1, [0, 2, 3]],
  ["further with each hop", 3, 2, [0, 1, 2, 3, 4]],
  ["not on from the account or the internet", 3, 3, [0, 1, 2, 3, 4]],
  ["from the account when it is the one that was chosen", 1, 1, [1, 2, 5]],
  ["from the internet, too", 0, 1, [0, 3, 6]],
])("walks %s", (_, node, hops, expected) => expect(reached(node, hops)).toEqual(expected));

it("leaves a node without edges alone", () => {
  expect([...withinHops(scene(["zone", "zone"], []), 1, 3)]).toEqual([1]);
});

it("walks 100,000 nodes in less than 50 ms", () => {
  const count = 100_000;
  // One zone that holds everything, and records that lead to one another.
  const edges = Array.from({ length: count - 1 }, (_, i): [number, number] => [i + 1, 0]);
  for (let i = 1; i < count - 7; i += 3) edges.push([i, i + 7]);
  const large = scene(
    Array.from({ length: count }, (_, i) => (i === 0 ? "zone" : "dns_record")),
    edges,
  );
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    const nodes = withinHops(large, 5, 3);
    const took = performance.now() - began;
    expect(nodes.length).toBe(count);
    return took;
  });
  expect(Math.min(...times)).toBeLessThan(50);
});

import { expect, it } from "vitest";
import type { PostureGraph } from "../graph/columns";
import { listed, maskOf } from "./filter";

const ids = ["zone:1", "dns:1:a", "dns:1:b", "dns:1:c"];
const graph = {
  ids,
  labels: ["shop.example", "www", "mail", "old"],
  index: new Map(ids.map((id, i) => [id, i])),
  type: Uint8Array.of(0, 1, 1, 1),
  zone: Int32Array.of(0, 0, 0, -1),
  severity: Uint8Array.of(2, 1, 0, 1),
  findings: Uint32Array.of(0, 1, 3, 4),
  nodeTypes: ["zone", "dns_record"],
  severities: ["critical", "high", "none"],
} as unknown as PostureGraph;

it.each([
  [{}, undefined, [1, 1, 1, 1]],
  [{ types: "dns_record" }, undefined, [0, 1, 1, 1]],
  [{ severity: "critical,high", zone: "1" }, undefined, [0, 1, 1, 0]],
  [{ q: "MAIL" }, undefined, [0, 0, 1, 0]],
  [{ q: "dns:1" }, undefined, [0, 1, 1, 1]],
  [{ zone: "gone" }, undefined, [0, 0, 0, 0]],
  [{}, [3, 0], [1, 0, 0, 1]],
  [{ severity: "high" }, [3, 0], [0, 0, 0, 1]],
  [{}, [], [0, 0, 0, 0]],
])("lets through %j of %j", (search, of, mask) =>
  expect([...maskOf(graph, search, of && Uint32Array.from(of))]).toEqual(mask),
);

it("lists the worst first, then those with most findings, and before them all what changed", () => {
  const all = new Uint8Array(4).fill(1);
  expect([...listed(graph, all)]).toEqual([2, 3, 1, 0]);
  const changes = { worse: Uint32Array.of(1, 0, 0, 0), fixed: Uint32Array.of(0, 2, 0, 0) };
  expect([...listed(graph, all, changes)]).toEqual([1, 0, 2, 3]);
  expect([...listed(graph, Uint8Array.of(0, 1, 1, 0), changes)]).toEqual([1, 2]);
});

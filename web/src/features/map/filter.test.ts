import { expect, it } from "vitest";
import type { PostureGraph } from "../graph/columns";
import { bestMatches, listed, maskOf } from "./filter";

const ids = ["zone:1", "dns:1:a", "dns:1:b", "dns:1:c"];
const graph = {
  ids,
  labels: ["shop.example", "www", "mail", "old.xn--bcher-kva.test"],
  index: new Map(ids.map((id, i) => [id, i])),
  type: Uint8Array.of(0, 1, 1, 1),
  zone: Int32Array.of(0, 0, 0, -1),
  severity: Uint8Array.of(2, 1, 0, 1),
  findings: Uint32Array.of(0, 1, 3, 4),
  nodeTypes: ["zone", "dns_record"],
  severities: ["critical", "high", "none"],
} as unknown as PostureGraph;

it.each([
  [{}, [1, 1, 1, 1]],
  [{ types: "dns_record" }, [0, 1, 1, 1]],
  [{ severity: "critical,high", zone: "1" }, [0, 1, 1, 0]],
  [{ group: "dns_record" }, [0, 0, 0, 1]],
  [{ q: "MAIL" }, [0, 0, 1, 0]],
  [{ q: "Bücher.test" }, [0, 0, 0, 1]],
  [{ q: "dns:1" }, [0, 1, 1, 1]],
  [{ zone: "gone" }, [0, 0, 0, 0]],
])("%j lets through", (search, mask) => expect([...maskOf(graph, search)]).toEqual(mask));

it.each([
  ["w", [1]],
  // A zone comes before a record, what begins with the text before what holds it.
  ["o", [3, 0]],
  ["dns:1:b", [2]],
  ["Bücher.test", [3]],
  [" ", []],
])("finds by %j", (text, nodes) => expect(bestMatches(graph, text)).toEqual(nodes));

it("lists the worst first, then those with most findings, and before them all what changed", () => {
  const all = new Uint8Array(4).fill(1);
  expect([...listed(graph, all)]).toEqual([2, 3, 1, 0]);
  const changes = { worse: Uint32Array.of(1, 0, 0, 0), fixed: Uint32Array.of(0, 2, 0, 0) };
  expect([...listed(graph, all, changes)]).toEqual([1, 0, 2, 3]);
  expect([...listed(graph, Uint8Array.of(0, 1, 1, 0), changes)]).toEqual([1, 2]);
});

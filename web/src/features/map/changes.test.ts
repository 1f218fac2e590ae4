import { expect, it } from "vitest";
import type { Drift, DriftDifference } from "../../api/types";
import type { PostureGraph } from "../graph/columns";
import { changesOn, tallyOf } from "./changes";

const IDS = [
  "account:acc",
  "zone:z",
  "dns:z:r",
  "worker:acc:w",
  "worker:acc:pages/w",
  "tunnel:t",
  "access_app:a",
  "r2:acc:b",
  "service:host.example",
  "finding:grave",
];
const graph = {
  ids: IDS,
  index: new Map(IDS.map((id, i) => [id, i])),
  type: Uint8Array.from(IDS, (_, i) => (i === 0 ? 1 : 0)),
  nodeTypes: ["other", "account"],
} as unknown as PostureGraph;
const none = { new: [], regressed: [], improved: [], resolved: [], changed: [], unknown: [] };
const drift = (part: Partial<Drift>) => ({ ...none, ...part }) as unknown as Drift;
const entry = (type: string, id: string, part: Partial<DriftDifference["resource"]> = {}, finding = "f") =>
  ({ id: finding, resource: { type, id, name: id, ...part } }) as DriftDifference;
const marked = (counts: Uint32Array) => IDS.filter((_, i) => counts[i]);

it.each([
  ["zone", entry("zone", "z", { zoneId: "z" }), "zone:z"],
  ["record", entry("dns_record", "r", { zoneId: "z" }), "dns:z:r"],
  ["worker", entry("worker", "w"), "worker:acc:w"],
  ["Pages project", entry("pages_project", "w"), "worker:acc:pages/w"],
  ["tunnel", entry("tunnel", "t"), "tunnel:t"],
  ["Access app", entry("access_app", "a"), "access_app:a"],
  ["bucket", entry("r2_bucket", "b"), "r2:acc:b"],
  ["load balancer", entry("load_balancer", "lb", { name: "Host.Example", zoneId: "z" }), "service:host.example"],
  ["rule, on its zone", entry("rule", "u", { zoneId: "z" }), "zone:z"],
  ["member, on the account", entry("member", "m"), "account:acc"],
  ["deleted record, on its zone", entry("dns_record", "gone", { zoneId: "z" }), "zone:z"],
  ["record of a deleted zone, on the account", entry("dns_record", "gone", { zoneId: "gone" }), "account:acc"],
  ["grave finding that is a node of its own", entry("rule", "u", { zoneId: "z" }, "grave"), "finding:grave"],
])("puts the finding of a %s", (_, finding, node) => {
  expect(marked(changesOn(graph, drift({ new: [finding] })).worse)).toEqual([node]);
});

it("counts what is new or worse, and what is fixed, and nothing else", () => {
  const zone = entry("zone", "z");
  const all = Object.fromEntries(Object.keys(none).map((list) => [list, [zone]]));
  const changes = changesOn(graph, drift({ ...all, resolved: [zone, zone, zone] }));
  const { worse, fixed } = changes;
  expect([marked(worse), worse[1], marked(fixed), fixed[1]]).toEqual([["zone:z"], 2, ["zone:z"], 3]);
  expect(tallyOf(changes, Uint32Array.of(0, 1, 2))).toEqual({ worse: 1, fixed: 1 });
  expect(tallyOf(changes, Uint32Array.of(0, 2))).toEqual({ worse: 0, fixed: 0 });
});

import { expect, it } from "vitest";
import type { PostureGraph } from "../graph/columns";
import { connectionsOf } from "./connections";
import { type Focus, flowOf, foundWords, HEIGHT, openWords, placed, placesOf } from "./flow";
import { titleOf } from "./title";

type Nodes = Record<string, { type: string; label?: string; zone?: string; severity?: string; direct?: boolean }>;
const SEVERITIES = ["critical", "high", "none"];
const NODES = ["internet", "zone", "dns_record", "service", "access_app", "tunnel", "worker", "origin", "r2_bucket"];
const EDGES = ["belongs_to", "internet_to", "proxies", "resolves_to", "protects", "exposes", "executes", "reads"];

function graphOf(nodes: Nodes, links: [string, string, string][]): PostureGraph {
  const ids = Object.keys(nodes);
  const all = Object.values(nodes);
  const index = new Map(ids.map((id, i) => [id, i]));
  const at = (id: string) => index.get(id) ?? -1;
  return {
    ids,
    index,
    labels: ids.map((id, i) => all[i]?.label ?? id),
    type: Uint8Array.from(all, ({ type }) => NODES.indexOf(type)),
    zone: Int32Array.from(all, ({ zone }) => (zone === undefined ? -1 : at(zone))),
    severity: Uint8Array.from(all, ({ severity = "none" }) => SEVERITIES.indexOf(severity)),
    findings: Uint32Array.from(all, ({ severity = "none" }) => (severity === "none" ? 0 : 1)),
    unknown: new Uint32Array(all.length),
    direct: new Set(ids.flatMap((id, i) => (nodes[id]?.direct ? [i] : []))),
    from: Uint32Array.from(links, ([from]) => at(from)),
    to: Uint32Array.from(links, ([, to]) => at(to)),
    edgeType: Uint8Array.from(links, ([, , type]) => EDGES.indexOf(type)),
    nodeTypes: NODES,
    edgeTypes: EDGES,
    severities: SEVERITIES,
  };
}

/** The lines of a flow in words: -> is a line, => one past Cloudflare, and * stands behind one on the path. */
function drawn(
  graph: PostureGraph,
  focus: Partial<Record<"zone" | "node", string>> & { path?: string[] },
  direct = false,
) {
  const at = (id: string | undefined) => (id === undefined ? undefined : graph.index.get(id));
  const path = focus.path?.map((id) => at(id) ?? -1) ?? [];
  const asked: Focus = { zone: at(focus.zone), node: at(focus.node), path };
  const flow = flowOf(graph, connectionsOf(graph), asked, direct);
  const name = (id: string) => {
    const card = flow.cards.find((one) => one.id === id);
    return card ? titleOf(graph, card) : `no card ${id}`;
  };
  const lines = flow.lines.map(
    (line) => `${name(line.from)} ${line.direct ? "=>" : "->"} ${name(line.to)}${line.onPath ? " *" : ""}`,
  );
  return { ...flow, lines: lines.sort() };
}

const base: Nodes = { net: { type: "internet", label: "Internet" }, z: { type: "zone", label: "a.example" } };
const rec = (label: string, severity?: string) => ({
  type: "dns_record",
  label,
  zone: "z",
  ...(severity && { severity }),
});
const host = (label: string) => ({ type: "service", label, zone: "z" });

it.each<[string, Nodes, [string, string, string][], string[]]>([
  [
    "a record that is not proxied leads past Cloudflare",
    { r: rec("mail"), o: { type: "origin", label: "192.0.2.1" } },
    [
      ["net", "r", "internet_to"],
      ["r", "o", "resolves_to"],
    ],
    ["Internet -> mail", "mail => 192.0.2.1"],
  ],
  [
    "records of one name and their host are one card, with Cloudflare behind it",
    { r: rec("www"), r6: rec("www"), s: host("www"), o: { type: "origin", label: "192.0.2.1" } },
    [
      ["net", "r", "internet_to"],
      ["net", "r6", "internet_to"],
      ["r", "s", "proxies"],
      ["r6", "s", "proxies"],
      ["s", "o", "resolves_to"],
    ],
    ["Cloudflare -> 192.0.2.1", "Internet -> www", "www -> Cloudflare"],
  ],
  [
    "an Access application stands between a host and its origin",
    {
      r: rec("www"),
      s: host("www"),
      a: { type: "access_app", label: "Staff" },
      o: { type: "origin", label: "192.0.2.1" },
    },
    [
      ["net", "r", "internet_to"],
      ["net", "a", "internet_to"],
      ["r", "s", "proxies"],
      ["a", "s", "protects"],
      ["s", "o", "resolves_to"],
    ],
    ["Internet -> www", "Staff -> 192.0.2.1", "www -> Staff"],
  ],
  [
    "an Access application of a private service stands before its tunnel",
    { r: rec("in"), t: { type: "tunnel", label: "office" }, s: host("in"), a: { type: "access_app", label: "Staff" } },
    [
      ["net", "r", "internet_to"],
      ["net", "a", "internet_to"],
      ["r", "t", "resolves_to"],
      ["t", "s", "exposes"],
      ["a", "s", "protects"],
    ],
    ["Internet -> in", "Staff -> in", "Staff -> office", "in -> Staff", "office -> in"],
  ],
  [
    "an Access application whose host has no record is what the internet comes to",
    { s: host("portal"), a: { type: "access_app", label: "Staff" } },
    [
      ["net", "a", "internet_to"],
      ["a", "s", "protects"],
    ],
    ["Internet -> Staff", "portal -> Staff"],
  ],
  [
    "a balancer that is not proxied leads past Cloudflare, a proxied one does not",
    {
      lb: { ...host("lb"), direct: true },
      shield: host("shield"),
      o: { type: "origin", label: "192.0.2.1" },
    },
    [
      ["net", "lb", "internet_to"],
      ["net", "shield", "internet_to"],
      ["lb", "o", "resolves_to"],
      ["shield", "o", "resolves_to"],
    ],
    ["Internet -> lb", "Internet -> shield", "lb => 192.0.2.1", "shield -> 192.0.2.1"],
  ],
  [
    "a Worker reads a bucket",
    { s: host("app"), w: { type: "worker", label: "api" }, b: { type: "r2_bucket", label: "files" } },
    [
      ["net", "s", "internet_to"],
      ["s", "w", "executes"],
      ["w", "b", "reads"],
    ],
    ["Internet -> app", "api -> files", "app -> api"],
  ],
])("%s", (_, nodes, links, want) =>
  expect(drawn(graphOf({ ...base, ...nodes }, links), { zone: "z" }).lines).toEqual(want),
);

it("sums up hosts without findings that are protected alike, and what does not fit", () => {
  const nodes: Nodes = { ...base, o: { type: "origin", label: "192.0.2.1" } };
  const links: [string, string, string][] = [];
  const add = (id: string, severity?: string, direct = false) => {
    nodes[id] = rec(id, severity);
    links.push(["net", id, "internet_to"]);
    if (direct) links.push([id, "o", "resolves_to"]);
    else {
      nodes[`s-${id}`] = host(id);
      links.push([id, `s-${id}`, "proxies"], [`s-${id}`, "o", "resolves_to"]);
    }
  };
  for (let k = 0; k < 40; k++) add(`bad-${k}`, "high");
  for (let k = 0; k < 50; k++) add(`good-${k}`);
  add("mail", undefined, true);
  const graph = graphOf(nodes, links);
  const all = drawn(graph, { zone: "z" });
  expect(all.open).toBe(91);
  expect(all.direct).toBe(1);
  expect(all.cards.filter(({ column }) => column === 1)).toHaveLength(18);
  expect(all.lines.filter((line) => line.includes("50 hosts"))).toEqual([
    "50 hosts -> Cloudflare",
    "Internet -> 50 hosts",
  ]);
  expect(all.lines).toContain("Internet -> 25 more hosts");
  const direct = drawn(graph, { zone: "z" }, true);
  expect(direct.lines).toEqual(["Internet -> mail", "mail => 192.0.2.1"]);
  expect([direct.open, direct.direct]).toEqual([91, 1]);
  // What is asked about is shown by itself.
  expect(drawn(graph, { zone: "z", node: "s-good-7" }).lines).toContain("Internet -> good-7");
});

const shop = graphOf(
  {
    ...base,
    r: rec("www", "critical"),
    s: host("www"),
    o: { type: "origin", label: "192.0.2.1" },
    other: rec("other"),
    elsewhere: { type: "origin", label: "192.0.2.9" },
  },
  [
    ["net", "r", "internet_to"],
    ["net", "other", "internet_to"],
    ["r", "s", "proxies"],
    ["s", "o", "resolves_to"],
    ["s", "z", "belongs_to"],
    ["other", "elsewhere", "resolves_to"],
  ],
);

it("shows what leads to a resource and nothing else", () => {
  expect(drawn(shop, { node: "o" }).lines).toEqual(["Cloudflare -> 192.0.2.1", "Internet -> www", "www -> Cloudflare"]);
  expect(drawn(shop, { node: "elsewhere" }).lines).toEqual(["Internet -> other", "other => 192.0.2.9"]);
});

it("draws a path through what stands between its nodes, and to a target that no traffic reaches", () => {
  expect(drawn(shop, { path: ["net", "r", "s", "o"] }).lines).toEqual([
    "Cloudflare -> 192.0.2.1 *",
    "Internet -> www *",
    "www -> Cloudflare *",
  ]);
  expect(drawn(shop, { path: ["net", "r", "s", "z"] }).lines).toContain("www -> a.example *");
  expect(drawn(shop, { zone: "z", path: ["net", "r", "s", "o"] }).lines).toContain("Internet -> other");
});

it("places cards in columns from left to right, none on another", () => {
  const { cards, lines } = flowOf(shop, connectionsOf(shop), { zone: shop.index.get("z"), path: [] });
  const places = placesOf({ cards, lines }, 260);
  expect(places.size).toBe(cards.length);
  const columns = cards.map(({ column }) => column);
  expect(columns).toEqual(columns.toSorted());
  for (const a of cards) {
    for (const b of cards) {
      const [p, q] = [places.get(a.id), places.get(b.id)];
      if (!p || !q || a === b) continue;
      if (a.column < b.column) expect(p.x).toBeLessThan(q.x);
      if (a.column === b.column) expect(Math.abs(p.y - q.y)).toBeGreaterThanOrEqual(HEIGHT);
    }
  }
});

it("shows a zone in its own flow, and says that nothing of it is open only when that is known", () => {
  const graph = graphOf({ "zone:1": { type: "zone", zone: "zone:1" }, r: { type: "dns_record", zone: "zone:1" } }, []);
  expect(placed(graph, { node: "zone:1" })).toEqual({ node: "zone:1", zone: "1" });
  for (const search of [{ node: "r" }, { node: "zone:1", zone: "2" }, { node: "gone" }])
    expect(placed(graph, search)).toEqual(search);
  const flow = { cards: [], lines: [], open: 0, direct: 0 };
  expect(openWords(flow, true)).toBe("Nothing of it is open to the internet by a name.");
  expect(openWords(flow, false)).toMatch(/^In what could be read/);
});

it("counts what was not assessed as that, not as open", () => {
  expect(foundWords(1, 0)).toBe("1 open finding");
  expect(foundWords(0, 274)).toBe("274 not assessed");
  expect(foundWords(2, 3)).toBe("2 open findings, 3 not assessed");
});

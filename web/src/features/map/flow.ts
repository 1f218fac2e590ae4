import { integer, plural } from "../../lib/number";
import type { PostureGraph } from "../graph/columns";
import { type Connections, type Neighbour, neighboursOf } from "./connections";
import type { MapSearch } from "./search";

/** What a flow is about: a zone or a group of resources, else one node, else a path. */
export interface Focus {
  /** The node of a zone. */
  zone?: number | undefined;
  /** A type of resources that lie in no zone. */
  group?: string | undefined;
  node?: number | undefined;
  /** The nodes of an attack path, from its entry to its target. */
  path: readonly number[];
}

export const COLUMNS = ["From", "Host", "Protection", "Worker or tunnel", "Origin or data"] as const;
const HOST = 1;
const PROTECTION = 2;

export interface Card {
  id: string;
  column: number;
  /** What it stands for: several records of one name, or many resources that are shown as one. */
  nodes: number[];
  /** Empty for a sum of resources, and for Cloudflare's proxy. */
  label: string;
  /** The type of its resources; absent for Cloudflare's proxy, and for a sum of several types. */
  type: string | undefined;
  severity: string;
  findings: number;
  unknown: number;
  onPath: boolean;
}

interface Line {
  from: string;
  to: string;
  /** Past Cloudflare: nothing stands between the host and what it leads to. */
  direct: boolean;
  onPath: boolean;
}

export interface Flow {
  cards: Card[];
  lines: Line[];
  /** Hosts that the internet reaches, and how many of them lead past Cloudflare, shown or not. */
  open: number;
  direct: number;
}

/** Cards of a column that are shown one by one; the others are one card more. */
const SHOWN = 16;
/** What has no findings and is alike is one card from this number on, in columns of more than FEW. */
const ALIKE = 3;
const FEW = 6;
export const PROXY = "proxy";

interface Host {
  nodes: number[];
  label: string;
  entry: boolean;
  proxied: boolean;
  direct: boolean;
  apps: Set<number>;
  next: Set<number>;
}

/** From the internet through names and what protects them to origins and data. */
export function flowOf(graph: PostureGraph, connections: Connections, focus: Focus, onlyDirect = false): Flow {
  const typeOf = (i: number) => graph.nodeTypes[graph.type[i] ?? 0] ?? "";
  const labelOf = (i: number) => graph.labels[i] ?? "";
  const around = (i: number) => neighboursOf(graph, connections, i).filter(({ edgeType }) => edgeType !== "belongs_to");
  const scope = scopeOf(graph, focus, typeOf, around);
  const hosts = hostsOf(graph, scope, typeOf, around);
  const isHost = new Set(hosts.flatMap(({ nodes }) => nodes));
  const path = new Set(focus.path);
  const cards = new Map<string, Card>();
  const cardOf = new Map<number, string>();
  const add = (id: string, column: number, nodes: number[], label = "", type?: string) => {
    const level = nodes.reduce((worst, i) => Math.min(worst, graph.severity[i] ?? worst), graph.severities.length - 1);
    const sum = (of: Uint32Array) => nodes.reduce((all, i) => all + (of[i] ?? 0), 0);
    const severity = graph.severities[level] ?? "none";
    const [findings, unknown] = [sum(graph.findings), sum(graph.unknown)];
    cards.set(id, {
      id,
      column,
      nodes,
      label,
      type,
      severity,
      findings,
      unknown,
      onPath: nodes.some((i) => path.has(i)),
    });
    for (const i of nodes) cardOf.set(i, id);
  };

  // What a host leads to past Cloudflare is named, whatever was found.
  const bare = new Set(hosts.flatMap(({ direct, next }) => (direct ? [...next] : [])));
  const asked = (i: number) =>
    i === focus.node ||
    path.has(i) ||
    (focus.zone === undefined && focus.group !== undefined && typeOf(i) === focus.group);
  /** What was asked about first, then the worst, then those with most findings. */
  const rank = (i: number) =>
    (asked(i) ? 0 : 1e7) + (graph.severity[i] ?? 0) * 1e6 - Math.min(graph.findings[i] ?? 0, 1e5);
  const named = (i: number) => asked(i) || bare.has(i) || (graph.findings[i] ?? 0) + (graph.unknown[i] ?? 0) > 0;
  for (const column of COLUMNS.keys()) {
    if (column === HOST) continue;
    const all = [...scope].filter((i) => !isHost.has(i) && columnOf(typeOf(i)) === column);
    const alike = new Map<string, number[]>();
    for (const i of all.length > FEW ? all.filter((i) => !named(i)) : []) {
      const same = alike.get(typeOf(i));
      if (same) same.push(i);
      else alike.set(typeOf(i), [i]);
    }
    const summed = [...alike].filter(([, { length }]) => length >= ALIKE);
    const inSum = new Set(summed.flatMap(([, nodes]) => nodes));
    const single = all.filter((i) => !inSum.has(i)).sort((a, b) => rank(a) - rank(b));
    const alone = single.length > SHOWN + 1 ? SHOWN : single.length;
    for (const i of single.slice(0, alone)) add(`n${i}`, column, [i], labelOf(i), typeOf(i));
    if (single.length > alone) add(`rest${column}`, column, single.slice(alone));
    for (const [type, nodes] of summed) add(`clean ${type}`, column, nodes, "", type);
  }

  const wanted = hosts.filter(({ direct }) => direct || !onlyDirect);
  const alike = new Map<string, Host[]>();
  for (const host of wanted.filter(({ nodes, direct }) => !direct && !nodes.some(named))) {
    const way = JSON.stringify([host.entry, host.proxied, host.apps.size > 0]);
    const same = alike.get(way);
    if (same) same.push(host);
    else alike.set(way, [host]);
  }
  const sums = [...alike.values()].filter(({ length }) => length >= ALIKE);
  const inSum = new Set(sums.flat());
  const first = ({ nodes }: Host) => Math.min(...nodes.map(rank));
  const single = wanted
    .filter((host) => !inSum.has(host))
    .sort((a, b) => first(a) - first(b) || Number(b.direct) - Number(a.direct) || (a.label < b.label ? -1 : 1));
  const alone = single.length > SHOWN + 1 ? SHOWN : single.length;
  if (single.length > alone) sums.unshift(single.slice(alone));
  const shown = new Map<string, Host[]>();
  for (const host of single.slice(0, alone)) {
    const id = `h${host.nodes[0]}`;
    const service = host.nodes.find((i) => typeOf(i) === "service") ?? host.nodes[0] ?? -1;
    add(id, HOST, host.nodes, host.label, typeOf(service));
    shown.set(id, [host]);
  }
  for (const [k, same] of sums.entries()) {
    add(
      `sum${k}`,
      HOST,
      same.flatMap(({ nodes }) => nodes),
      "",
      "service",
    );
    shown.set(`sum${k}`, same);
  }

  const lines = new Map<string, Line>();
  const join = (from: string | undefined, to: string | undefined, direct = false) => {
    if (from === undefined || to === undefined || from === to) return;
    const known = lines.get(`${from} ${to}`);
    if (known) known.direct ||= direct;
    else lines.set(`${from} ${to}`, { from, to, direct, onPath: false });
  };
  const internet = cardOf.get(graph.type.indexOf(graph.nodeTypes.indexOf("internet")));
  for (const [id, of] of shown) {
    for (const { entry, proxied, direct, apps, next } of of) {
      if (entry) join(internet, id);
      const guards = [...apps].flatMap((i) => cardOf.get(i) ?? []);
      if (guards.length === 0 && proxied) guards.push(PROXY);
      for (const guard of guards) join(id, guard);
      for (const to of [...next].map((i) => cardOf.get(i))) {
        if (guards.length === 0 || direct) join(id, to, direct);
        else for (const guard of guards) join(guard, to);
      }
    }
  }
  if ([...lines.values()].some(({ to }) => to === PROXY)) add(PROXY, PROTECTION, []);
  const entries = [...shown].filter(([, of]) => of.some(({ entry }) => entry)).map(([id]) => id);
  const led = new Set([...lines.values()].filter(({ from }) => entries.includes(from)).map(({ to }) => to));
  for (const i of scope) {
    if (isHost.has(i)) continue;
    for (const { node, out, edgeType } of around(i)) {
      const to = cardOf.get(node);
      // What an Access application protects comes after the hosts that lead through it.
      if (!out || isHost.has(node) || (edgeType === "internet_to" && to !== undefined && led.has(to))) continue;
      join(cardOf.get(i), to);
    }
  }
  markPath(focus.path, cardOf, cards, lines, join);

  // What leads nowhere says nothing in a flow, unless it was asked about.
  const used = new Set([...lines.values()].flatMap(({ from, to }) => [from, to]));
  const kept = [...cards.values()].filter(({ id, nodes, onPath }) => used.has(id) || onPath || nodes.some(asked));
  kept.sort((a, b) => a.column - b.column);
  const open = hosts.filter(({ entry }) => entry);
  return {
    cards: kept,
    lines: [...lines.values()],
    open: open.length,
    direct: open.filter(({ direct }) => direct).length,
  };
}

/** What is said of the hosts of a flow. That there are none is known of a whole zone only, when nothing was left unread. */
export function openWords({ open, direct }: Flow, known: boolean): string {
  if (open > 0)
    return `${plural(open, "host is", "hosts are")} open to the internet, ${direct === 0 ? "none" : integer(direct)} past Cloudflare.`;
  return known
    ? "Nothing of it is open to the internet by a name."
    : "In what could be read, no host that is open to the internet leads to it.";
}

/** A zone, and a finding that lies in it, lead nowhere by themselves: they are seen in the flow of the zone, those of the account in the whole. */
export function placed(graph: PostureGraph, search: MapSearch): MapSearch {
  const node = search.node === undefined ? undefined : graph.index.get(search.node);
  if (node === undefined || search.zone !== undefined || search.group !== undefined) return search;
  if (!["zone", "finding"].includes(graph.nodeTypes[graph.type[node] ?? 0] ?? "")) return search;
  const home = graph.ids[graph.zone[node] ?? -1];
  return home === undefined ? search : { ...search, zone: home.slice("zone:".length) };
}

type TypeOf = (node: number) => string;
type Around = (node: number) => Neighbour[];

function columnOf(type: string): number {
  switch (type) {
    case "internet":
      return 0;
    case "access_app":
      return PROTECTION;
    case "worker":
    case "tunnel":
      return 3;
    case "dns_record":
    case "finding":
      return -1;
    default:
      return 4;
  }
}

/** The records and services of a flow by name. A service behind a tunnel is where a flow ends, though it has one. */
function hostsOf(graph: PostureGraph, scope: ReadonlySet<number>, typeOf: TypeOf, around: Around): Host[] {
  const labelOf = (i: number) => graph.labels[i] ?? "";
  const hosts = new Map<string, Host>();
  const hostOf = new Map<number, Host>();
  const served = (i: number) =>
    around(i).some(({ node, out, edgeType }) => !out && edgeType === "exposes" && typeOf(node) === "tunnel");
  for (const i of scope) {
    if (typeOf(i) !== "dns_record" && (typeOf(i) !== "service" || served(i))) continue;
    const key = labelOf(i).toLowerCase();
    let host = hosts.get(key);
    if (!host) {
      host = {
        nodes: [],
        label: labelOf(i),
        entry: false,
        proxied: false,
        direct: false,
        apps: new Set(),
        next: new Set(),
      };
      hosts.set(key, host);
    }
    host.nodes.push(i);
    hostOf.set(i, host);
  }
  const guardsOf = (i: number) =>
    around(i).flatMap(({ node, out, edgeType }) => (!out && edgeType === "protects" ? [node] : []));
  for (const host of hosts.values()) {
    const name = host.label.toLowerCase();
    for (const i of host.nodes) {
      for (const app of guardsOf(i)) host.apps.add(app);
      for (const { node, out, edgeType } of around(i)) {
        if (!out) host.entry ||= edgeType === "internet_to";
        else if (edgeType === "proxies") host.proxied = true;
        else if (typeOf(node) === "tunnel") {
          host.proxied = true;
          const own = around(node).filter((far) => far.out && labelOf(far.node).toLowerCase() === name);
          for (const app of [node, ...own.map((far) => far.node)].flatMap(guardsOf)) host.apps.add(app);
        } else if (edgeType === "resolves_to" && typeOf(node) === "origin") {
          host.direct ||= typeOf(i) === "dns_record" || graph.direct.has(i);
        }
        if (out && hostOf.get(node) === undefined && scope.has(node)) host.next.add(node);
      }
    }
  }
  return [...hosts.values()];
}

/** What is asked about, all that leads to it, all that it leads to, and what protects any of these. */
function scopeOf(graph: PostureGraph, focus: Focus, typeOf: TypeOf, around: Around): Set<number> {
  const { zone, group, node, path } = focus;
  const seeds: number[] = [];
  for (let i = 0; (zone !== undefined || group !== undefined) && i < graph.ids.length; i++) {
    const inside =
      zone !== undefined ? graph.zone[i] === zone && i !== zone : graph.zone[i] === -1 && typeOf(i) === group;
    if (inside && typeOf(i) !== "finding") seeds.push(i);
  }
  const alone = zone === undefined && group === undefined && node === undefined;
  if (alone) seeds.push(...path);
  else if (zone === undefined && group === undefined && node !== undefined) seeds.push(node);

  const scope = new Set(seeds);
  for (const forward of alone ? [] : [true, false]) {
    const seen = new Set(seeds);
    const queue = [...seeds];
    for (let i = queue.pop(); i !== undefined; i = queue.pop()) {
      // Everything comes from the internet.
      if (typeOf(i) === "internet" && i !== node) continue;
      for (const next of around(i)) {
        if (next.out !== forward || seen.has(next.node)) continue;
        seen.add(next.node);
        queue.push(next.node);
      }
    }
    for (const i of seen) scope.add(i);
  }
  for (const i of [...scope]) {
    for (const next of around(i)) if (!next.out && next.edgeType === "protects") scope.add(next.node);
  }
  return scope;
}

/** Marks what a path goes over, through what stands between its nodes, and joins those that no edge of a flow joins. */
function markPath(
  path: readonly number[],
  cardOf: ReadonlyMap<number, string>,
  cards: Map<string, Card>,
  lines: Map<string, Line>,
  join: (from: string | undefined, to: string | undefined) => void,
) {
  for (const [k, node] of path.slice(1).entries()) {
    const from = cardOf.get(path[k] ?? -1);
    const to = cardOf.get(node);
    if (from === undefined || to === undefined) continue;
    const over = [...cards.values()].find(({ id }) => lines.has(`${from} ${id}`) && lines.has(`${id} ${to}`));
    if (over && !lines.has(`${from} ${to}`)) over.onPath = true;
    else if (!over && !lines.has(`${to} ${from}`)) join(from, to);
  }
  for (const line of lines.values()) {
    line.onPath = Boolean(cards.get(line.from)?.onPath && cards.get(line.to)?.onPath);
  }
}

export interface Place {
  x: number;
  y: number;
}

export const HEIGHT = 52;
const GAP = 12;

/** Where the cards lie: columns a step apart, but for those of no card; a card beside what leads to it where there is room. */
export function placesOf({ cards, lines }: Pick<Flow, "cards" | "lines">, step: number): Map<string, Place> {
  const places = new Map<string, Place>();
  const columns = [...new Set(cards.map(({ column }) => column))].sort((a, b) => a - b);
  const before = new Map<string, string[]>();
  for (const { from, to } of lines) before.set(to, [...(before.get(to) ?? []), from]);
  for (const [c, column] of columns.entries()) {
    const wanted = cards
      .filter((card) => card.column === column)
      .map((card) => {
        const from = (before.get(card.id) ?? []).flatMap((id) => places.get(id)?.y ?? []);
        return { id: card.id, y: from.reduce((sum, y) => sum + y, 0) / Math.max(1, from.length) };
      });
    // The order of hosts is their rank.
    if (column !== HOST) wanted.sort((a, b) => a.y - b.y);
    let free = 0;
    for (const { id, y } of wanted) {
      const top = column === HOST ? free : Math.max(free, Math.round(y));
      places.set(id, { x: c * step, y: top });
      free = top + HEIGHT + GAP;
    }
  }
  return places;
}

/** What was found at a node, and what was not assessed. */
export function foundWords(findings: number, unknown: number): string {
  if (unknown === 0) return findings === 0 ? "no open finding" : plural(findings, "open finding");
  return `${findings === 0 ? "" : `${plural(findings, "open finding")}, `}${integer(unknown)} not assessed`;
}

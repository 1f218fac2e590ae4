import type { PostureGraph } from "../graph/columns";
import type { Changes } from "./changes";
import type { MapSearch } from "./search";

type Filters = Pick<MapSearch, "types" | "severity" | "zone" | "q">;

/** One for every node that the filters let through, of a few nodes or of all. */
export function maskOf(graph: PostureGraph, { types, severity, zone, q }: Filters, of?: Uint32Array): Uint8Array {
  const mask = new Uint8Array(graph.ids.length);
  const allowed = (given: string | undefined, names: readonly string[]) => {
    const words = given?.split(",");
    return names.map((name) => words === undefined || words.includes(name));
  };
  const typeAllowed = allowed(types, graph.nodeTypes);
  const severityAllowed = allowed(severity, graph.severities);
  const home = zone === undefined ? undefined : (graph.index.get(`zone:${zone}`) ?? -2);
  const text = q?.toLowerCase();
  const count = of?.length ?? mask.length;
  for (let k = 0; k < count; k++) {
    const i = of?.[k] ?? k;
    if (!typeAllowed[graph.type[i] ?? 0] || !severityAllowed[graph.severity[i] ?? 0]) continue;
    if (home !== undefined && graph.zone[i] !== home) continue;
    if (
      text !== undefined &&
      !graph.labels[i]?.toLowerCase().includes(text) &&
      !graph.ids[i]?.toLowerCase().includes(text)
    )
      continue;
    mask[i] = 1;
  }
  return mask;
}

/** The nodes of a mask, those that changed first, then the worst; of the same severity, those with most findings. */
export function listed(
  { severity, severities, findings }: PostureGraph,
  mask: Uint8Array,
  changes?: Changes,
): Uint32Array {
  const byLevel: number[][] = [...severities, ...severities].map(() => []);
  for (let i = 0; i < mask.length; i++) {
    const same = changes?.worse[i] || changes?.fixed[i] ? 0 : severities.length;
    if (mask[i]) byLevel[same + (severity[i] ?? 0)]?.push(i);
  }
  const out = new Uint32Array(byLevel.reduce((n, level) => n + level.length, 0));
  let place = 0;
  for (const level of byLevel) {
    // Most have none or one, and sorting 100,000 equal ones would take as long as drawing them.
    const many = level.filter((i) => (findings[i] ?? 0) > 1).sort((a, b) => (findings[b] ?? 0) - (findings[a] ?? 0));
    for (const i of many) out[place++] = i;
    for (const least of [1, 0]) for (const i of level) if ((findings[i] ?? 0) === least) out[place++] = i;
  }
  return out;
}

export interface Neighbour {
  node: number;
  edgeType: number;
  /** Whether the edge leads away from the node that was asked about. */
  out: boolean;
}

/** What a node is connected with. It goes through all edges once, which takes about a millisecond for 130,000. */
export function neighboursOf(graph: PostureGraph, node: number): Neighbour[] {
  const out: Neighbour[] = [];
  for (let e = 0; e < graph.from.length; e++) {
    const from = graph.from[e] ?? 0;
    const to = graph.to[e] ?? 0;
    const edgeType = graph.edgeType[e] ?? 0;
    if (from === node) out.push({ node: to, edgeType, out: true });
    else if (to === node) out.push({ node: from, edgeType, out: false });
  }
  return out;
}

/** The filter of the service that finds the findings of a node, as far as its id tells. */
export function findingsFilter(id: string, label: string): { zone?: string; resource?: string; q?: string } {
  const [kind = "", first = "", ...rest] = id.split(":");
  switch (kind) {
    case "zone":
      return { zone: first };
    case "account":
    case "tunnel":
    case "access_app":
    case "kv":
    case "d1":
    case "queue":
      return { resource: first };
    case "dns":
    case "r2":
      return { resource: rest.join(":") };
    case "worker":
      return { resource: rest.join(":").replace(/^pages\//, "") };
    default:
      return { q: label.slice(0, 200) };
  }
}

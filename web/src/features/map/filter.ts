import { asKept } from "../../lib/hostname";
import type { PostureGraph } from "../graph/columns";
import type { Changes } from "./changes";
import type { MapSearch } from "./search";

type Filters = Pick<MapSearch, "types" | "severity" | "zone" | "group" | "q">;

/** One for every node that the filters let through. */
export function maskOf(graph: PostureGraph, { types, severity, zone, group, q }: Filters): Uint8Array {
  const mask = new Uint8Array(graph.ids.length);
  const allowed = (given: string | undefined, names: readonly string[]) => {
    const words = given?.split(",");
    return names.map((name) => words === undefined || words.includes(name));
  };
  const typeAllowed = allowed(types, graph.nodeTypes);
  const severityAllowed = allowed(severity, graph.severities);
  const home = zone === undefined ? undefined : (graph.index.get(`zone:${zone}`) ?? -2);
  const texts = q === undefined ? [] : [q.toLowerCase(), asKept(q).toLowerCase()];
  for (let i = 0; i < mask.length; i++) {
    if (!typeAllowed[graph.type[i] ?? 0] || !severityAllowed[graph.severity[i] ?? 0]) continue;
    if (home !== undefined && graph.zone[i] !== home) continue;
    if (group !== undefined && (graph.zone[i] !== -1 || graph.nodeTypes[graph.type[i] ?? 0] !== group)) continue;
    if (texts.length > 0) {
      const name = `${graph.labels[i] ?? ""}\n${graph.ids[i] ?? ""}`.toLowerCase();
      if (!texts.some((text) => name.includes(text))) continue;
    }
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

const MATCHES = 8;

/** The resources a text leads to first: those whose name begins with it, then those that hold it; the worst first. */
export function bestMatches(graph: PostureGraph, text: string): number[] {
  const wanted = text.trim().toLowerCase();
  const kept = asKept(wanted);
  if (wanted === "") return [];
  const found: [number, number][] = [];
  for (let i = 0; i < graph.ids.length; i++) {
    const label = graph.labels[i]?.toLowerCase() ?? "";
    const at = Math.max(label.indexOf(wanted), label.indexOf(kept));
    if (at < 0 && graph.ids[i]?.toLowerCase() !== wanted) continue;
    const type = graph.nodeTypes[graph.type[i] ?? 0];
    // Of a record and a host of one name the host says more, and of a zone's names its own.
    const kind = type === "zone" ? 0 : type === "dns_record" || type === "finding" ? 2 : 1;
    found.push([(at > 0 ? 100 : 0) + kind * 10 + (graph.severity[i] ?? 0), i]);
  }
  return found
    .sort(([a, i], [b, k]) => a - b || i - k)
    .slice(0, MATCHES)
    .map(([, i]) => i);
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

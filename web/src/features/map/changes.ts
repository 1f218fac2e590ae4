import type { Drift, DriftDifference } from "../../api/types";
import type { PostureGraph } from "../graph/columns";

/** How many findings of each node are new or worse than in another assessment, and how many are fixed. */
export interface Changes {
  worse: Uint32Array;
  fixed: Uint32Array;
}

/** Puts what differs from another assessment on the nodes of this one's graph. */
export function changesOn(graph: PostureGraph, drift: Drift): Changes {
  const count = (entries: readonly DriftDifference[]) => {
    const counts = new Uint32Array(graph.ids.length);
    for (const entry of entries) {
      const node = nodeOfFinding(graph, entry);
      counts[node] = (counts[node] ?? 0) + 1;
    }
    return counts;
  };
  return { worse: count([...drift.new, ...drift.regressed]), fixed: count(drift.resolved) };
}

/**
 * The node of a finding that may be of another assessment, by the rule of the
 * service (graph.NodeID and attach): a grave finding may be a node of its own;
 * else it lies on its resource, else in the zone of that, else in the account.
 * So what was fixed by deleting its resource shows on the zone that was in.
 */
export function nodeOfFinding(graph: PostureGraph, { id, resource }: Pick<DriftDifference, "id" | "resource">): number {
  const account = graph.type.indexOf(graph.nodeTypes.indexOf("account"));
  const accountId = graph.ids[account]?.slice("account:".length) ?? "";
  const places = [`finding:${id}`, resourceNode(accountId, resource), `zone:${resource.zoneId}`];
  return graph.index.get(places.find((place) => graph.index.has(place)) ?? "") ?? account;
}

export interface Tally {
  worse: number;
  fixed: number;
}

/** How many of some nodes have findings of either kind. */
export function tallyOf({ worse, fixed }: Changes, nodes: Uint32Array): Tally {
  const having = (counts: Uint32Array) => nodes.reduce((n, node) => n + (counts[node] ? 1 : 0), 0);
  return { worse: having(worse), fixed: having(fixed) };
}

function resourceNode(accountId: string, { type, id, name, zoneId }: DriftDifference["resource"]): string {
  switch (type) {
    case "zone":
    case "tunnel":
    case "access_app":
      return `${type}:${id}`;
    case "dns_record":
      return `dns:${zoneId}:${id}`;
    case "worker":
      return `worker:${accountId}:${id}`;
    case "pages_project":
      return `worker:${accountId}:pages/${id}`;
    case "r2_bucket":
      return `r2:${accountId}:${id}`;
    case "load_balancer":
      return `service:${name.toLowerCase()}`;
    default:
      return "";
  }
}

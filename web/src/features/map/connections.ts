import type { PostureGraph } from "../graph/columns";

/** The edges of a graph by node: those of node i are edge[start[i]] to edge[start[i + 1] - 1], in either direction. */
export interface Connections {
  start: Uint32Array;
  edge: Uint32Array;
}

export function connectionsOf({ ids, from, to }: PostureGraph): Connections {
  const start = new Uint32Array(ids.length + 1);
  const at = (list: Uint32Array, i: number) => list[i] ?? 0;
  for (let e = 0; e < from.length; e++) {
    for (const end of [at(from, e), at(to, e)]) start[end + 1] = at(start, end + 1) + 1;
  }
  for (let i = 1; i <= ids.length; i++) start[i] = at(start, i) + at(start, i - 1);
  const edge = new Uint32Array(2 * from.length);
  const free = start.slice();
  for (let e = 0; e < from.length; e++) {
    for (const end of [at(from, e), at(to, e)]) {
      edge[at(free, end)] = e;
      free[end] = at(free, end) + 1;
    }
  }
  return { start, edge };
}

export interface Neighbour {
  node: number;
  edgeType: string;
  /** Whether the edge leads away from the node that was asked about. */
  out: boolean;
}

export function neighboursOf(graph: PostureGraph, { start, edge }: Connections, node: number): Neighbour[] {
  const out: Neighbour[] = [];
  for (let k = start[node] ?? 0; k < (start[node + 1] ?? 0); k++) {
    const e = edge[k] ?? 0;
    const away = graph.from[e] === node;
    out.push({
      node: (away ? graph.to[e] : graph.from[e]) ?? 0,
      edgeType: graph.edgeTypes[graph.edgeType[e] ?? 0] ?? "",
      out: away,
    });
  }
  return out;
}

import type { PostureGraph } from "../../graph/columns";

/** A graph with the edges of each node; a Scene is one. */
export interface Adjacency {
  graph: Pick<PostureGraph, "from" | "to" | "type" | "nodeTypes">;
  /** Those of node i are adjacent[start[i]] to adjacent[start[i + 1]]. */
  start: Uint32Array;
  adjacent: Uint32Array;
}

/**
 * The nodes within so many hops of one, itself first, either way along the edges.
 * The walk reaches the account and the internet but goes on from neither: every
 * zone belongs to the account and whatever is exposed is reached from the
 * internet, so otherwise all of the map would be two or three hops away.
 */
export function withinHops({ graph, start, adjacent }: Adjacency, node: number, hops: number): Uint32Array {
  const { from, to, type, nodeTypes } = graph;
  const account = nodeTypes.indexOf("account");
  const internet = nodeTypes.indexOf("internet");
  const reached = new Uint8Array(type.length);
  const queue = new Uint32Array(type.length);
  reached[node] = 1;
  queue[0] = node;
  let begin = 0;
  let end = 1;
  for (let hop = 0; hop < hops; hop++) {
    const last = end;
    for (; begin < last; begin++) {
      const i = queue[begin]!;
      if (i !== node && (type[i] === account || type[i] === internet)) continue;
      for (let k = start[i]!; k < start[i + 1]!; k++) {
        const e = adjacent[k]!;
        const other = from[e] === i ? to[e]! : from[e]!;
        if (reached[other]) continue;
        reached[other] = 1;
        queue[end++] = other;
      }
    }
  }
  return queue.slice(0, end);
}

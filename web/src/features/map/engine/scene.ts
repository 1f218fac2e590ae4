import type { PostureGraph } from "../../graph/columns";
import type { Box } from "./camera";
import { Grid } from "./grid";

/** A zone with what lies in it, or the account's own resources. */
export interface Cluster extends Box {
  /** The node of the zone, or -1 for the account. */
  zone: number;
  members: Uint32Array;
}

/** From here on a zone shows its members, when there is also room for each of them. */
export const OPEN_ZONE = 28;
export const OPEN_NODE = 3;

/** What is drawn instead of what, by how large it is on the screen. */
export function isOpen(cluster: Box, scale: number): boolean {
  const side = Math.max(cluster.right - cluster.left, cluster.bottom - cluster.top);
  return scale >= OPEN_NODE && side * scale >= OPEN_ZONE;
}

/** The graph as it lies on the map; it is made once per assessment. */
export class Scene {
  readonly graph: PostureGraph;
  readonly box: Box;
  readonly clusters: Cluster[];
  /** The cluster of each node, or -1 for the internet, which lies in none. */
  readonly clusterOf: Int32Array;
  readonly grid: Grid;
  /** Edges by node: those of node i are adjacent[start[i]] to adjacent[start[i + 1]]. */
  readonly start: Uint32Array;
  readonly adjacent: Uint32Array;
  readonly internet: number;

  constructor(graph: PostureGraph) {
    this.graph = graph;
    const count = graph.ids.length;
    this.internet = graph.type.indexOf(graph.nodeTypes.indexOf("internet"));
    this.box = boxOf(graph, undefined);

    this.clusterOf = new Int32Array(count).fill(-1);
    const sizes = new Map<number, number>();
    for (let i = 0; i < count; i++) {
      if (i !== this.internet) sizes.set(graph.zone[i]!, (sizes.get(graph.zone[i]!) ?? 0) + 1);
    }
    const place = new Map<number, number>();
    const members = [...sizes]
      .sort(([a], [b]) => a - b)
      .map(([zone, size], c) => {
        place.set(zone, c);
        return { zone, members: new Uint32Array(size) };
      });
    const next = new Uint32Array(members.length);
    for (let i = 0; i < count; i++) {
      if (i === this.internet) continue;
      const c = place.get(graph.zone[i]!)!;
      this.clusterOf[i] = c;
      members[c]!.members[next[c]!++] = i;
    }
    this.clusters = members.map((part) => ({ ...part, ...boxOf(graph, part.members) }));
    this.grid = new Grid(graph.x, graph.y, this.box);

    this.start = new Uint32Array(count + 1);
    const { from, to } = graph;
    for (let e = 0; e < from.length; e++) {
      this.start[from[e]! + 1]! += 1;
      this.start[to[e]! + 1]! += 1;
    }
    for (let i = 1; i <= count; i++) this.start[i]! += this.start[i - 1]!;
    this.adjacent = new Uint32Array(2 * from.length);
    const free = this.start.slice();
    for (let e = 0; e < from.length; e++) {
      this.adjacent[free[from[e]!]!++] = e;
      this.adjacent[free[to[e]!]!++] = e;
    }
  }

  /** The nearest neighbour in a direction, for the arrow keys: what lies ahead counts more than what lies beside. */
  towards(node: number, dx: number, dy: number, mask: Uint8Array): number {
    const { graph } = this;
    const x = graph.x[node]!;
    const y = graph.y[node]!;
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    const reach = Math.max(this.box.right - this.box.left, this.box.bottom - this.box.top) + 1;
    for (let half = 4; best < 0 && half < 2 * reach; half *= 4) {
      this.grid.each({ left: x - half, top: y - half, right: x + half, bottom: y + half }, (i) => {
        if (i === node || !mask[i]) return;
        const ahead = (graph.x[i]! - x) * dx + (graph.y[i]! - y) * dy;
        const aside = Math.abs((graph.x[i]! - x) * dy) + Math.abs((graph.y[i]! - y) * dx);
        if (ahead <= 0 || aside > 2 * ahead) return;
        const d = ahead + 3 * aside;
        if (d < least) {
          best = i;
          least = d;
        }
      });
    }
    return best;
  }
}

/** The square around points, half a unit wider on each side. */
export function boxOf({ x, y }: PostureGraph, of: ArrayLike<number> | undefined): Box {
  const box = { left: 0, top: 0, right: 0, bottom: 0 };
  const count = of?.length ?? x.length;
  for (let k = 0; k < count; k++) {
    const i = of ? of[k]! : k;
    if (k === 0 || x[i]! < box.left) box.left = x[i]!;
    if (k === 0 || x[i]! > box.right) box.right = x[i]!;
    if (k === 0 || y[i]! < box.top) box.top = y[i]!;
    if (k === 0 || y[i]! > box.bottom) box.bottom = y[i]!;
  }
  return { left: box.left - 0.5, top: box.top - 0.5, right: box.right + 0.5, bottom: box.bottom + 0.5 };
}

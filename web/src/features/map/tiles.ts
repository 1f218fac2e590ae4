import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import type { Area } from "./areas";

export interface Tile {
  /** Absent for the areas that have no room. */
  area: Area | undefined;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What a tile takes at least, on average, so that its name can be read. */
const ROOM = 14_000;
/** No tile takes less than this part of the average, or more than so many times. */
const LEAST = 0.7;
const MOST = 4;
/** Names are wide, so tiles are. */
const WIDE = 1.5;
const GAP = 4;

/** How many areas have room in a box. */
export function roomFor(width: number, height: number): number {
  return Math.max(2, Math.floor((width * height) / ROOM));
}

/** Lays areas out in a box by their risk, the riskiest first; `rest` is one more tile for those without room. */
export function tilesOf(areas: readonly Area[], rest: boolean, width: number, height: number): Tile[] {
  // The root keeps one zone of a thousand times the risk from leaving no room for the others.
  const weights = areas.map(({ risk, resources }) => Math.sqrt(risk + Math.log1p(resources)));
  const average = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, weights.length);
  const least = LEAST * (average || 1);
  const parts: { area: Area | undefined; weight: number }[] = areas.map((area, i) => ({
    area,
    weight: Math.min(MOST * (average || 1), Math.max(least, weights[i] ?? 0)),
  }));
  if (rest) parts.push({ area: undefined, weight: least });
  const root = hierarchy<{ area?: Area | undefined; weight?: number; children?: typeof parts }>({ children: parts });
  const laid = treemap<typeof root.data>()
    .tile(treemapSquarify.ratio(1))
    .size([(width + GAP) / WIDE, height + GAP])(root.sum(({ weight }) => weight ?? 0));
  return (laid.children ?? []).map(({ data, x0, y0, x1, y1 }) => {
    const [x, y] = [Math.round(x0 * WIDE), Math.round(y0)];
    return { area: data.area, x, y, width: Math.round(x1 * WIDE) - x - GAP, height: Math.round(y1) - y - GAP };
  });
}

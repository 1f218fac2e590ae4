import type { TrendPoint } from "../../api/types";

export interface Pair {
  before: TrendPoint;
  current: TrendPoint;
}

/** The newest two runs that compare: a narrowed one says less, so what it lacks would look fixed. */
export function newestPair(points: readonly TrendPoint[]): Pair | undefined {
  const [current, before] = points.filter(({ partial }) => !partial).reverse();
  return current && before && { before, current };
}

interface Mark {
  x: number;
  y: number;
  partial: boolean;
}

/** Where each run stands: evenly spaced, and by its score between 0 and 100, so that a small change looks small. */
export function marksOf(points: readonly TrendPoint[], width: number, height: number): Mark[] {
  const edge = 4;
  const step = points.length > 1 ? (width - 2 * edge) / (points.length - 1) : 0;
  return points.map(({ score, partial = false }, i) => ({
    x: Math.round(10 * (edge + i * step)) / 10,
    y: Math.round(10 * (edge + ((100 - Math.min(100, Math.max(0, score))) / 100) * (height - 2 * edge))) / 10,
    partial,
  }));
}

/** The line in words. */
export function wordsOf(points: readonly TrendPoint[]): string {
  const scores = points.filter(({ partial }) => !partial).map(({ score }) => score);
  if (scores.length === 0) return "No whole run.";
  const first = scores[0];
  const last = scores[scores.length - 1];
  return `Score of ${scores.length === 1 ? "1 run" : `${scores.length} runs`}: first ${first}, lowest ${Math.min(...scores)}, highest ${Math.max(...scores)}, newest ${last}.`;
}

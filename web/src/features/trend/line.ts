import type { TrendPoint } from "../../api/types";
import { plural } from "../../lib/number";
import type { Run } from "../../ui/chart/data";

export interface Pair {
  before: TrendPoint;
  current: TrendPoint;
}

/** The newest two runs that compare: a narrowed one says less, so what it lacks would look fixed. */
export function newestPair(points: readonly TrendPoint[]): Pair | undefined {
  const [current, before] = points.filter(({ partial }) => !partial).reverse();
  return current && before && { before, current };
}

/** Why the figures of a run do not compare with those of others. */
export function hollowOf({ partial, grade }: TrendPoint): string | undefined {
  if (partial) return "a part of the account";
  return grade === null ? "too little could be judged" : undefined;
}

/** Runs for a chart, with what it shows of each. */
export function runsOf(points: readonly TrendPoint[], values: (point: TrendPoint) => number[]): Run[] {
  return points.map((point) => ({
    id: point.assessmentId,
    at: point.at,
    values: values(point),
    hollow: hollowOf(point),
  }));
}

interface Mark {
  id: string;
  x: number;
  y: number;
  hollow: boolean;
}

/** Where each run stands: evenly spaced, and by its score between 0 and 100, so that a small change looks small. */
export function marksOf(points: readonly TrendPoint[], width: number, height: number): Mark[] {
  const edge = 4;
  const step = points.length > 1 ? (width - 2 * edge) / (points.length - 1) : 0;
  return points.map((point, i) => ({
    id: point.assessmentId,
    x: Math.round(10 * (edge + i * step)) / 10,
    y: Math.round(10 * (edge + ((100 - Math.min(100, Math.max(0, point.score))) / 100) * (height - 2 * edge))) / 10,
    hollow: hollowOf(point) !== undefined,
  }));
}

/** The line in words. */
export function wordsOf(points: readonly TrendPoint[]): string {
  const scores = points.filter((point) => hollowOf(point) === undefined).map(({ score }) => score);
  const hollow = points.length - scores.length;
  const rest = hollow > 0 ? ` ${plural(hollow, "run does", "runs do")} not compare.` : "";
  if (scores.length === 0) return `No whole run.${rest}`;
  const lowest = Math.min(...scores);
  const highest = Math.max(...scores);
  return `Score of ${plural(scores.length, "run")}: first ${scores[0]}, lowest ${lowest}, highest ${highest}, newest ${scores.at(-1)}.${rest}`;
}

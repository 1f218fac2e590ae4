import type { ReactNode } from "react";

export interface Series {
  name: string;
  /** A token of the colours; "hatch" is for what was not assessed. */
  colour: string;
  /** What tells it apart beside the colour. */
  shape?: ReactNode;
}

export interface Run {
  id: string;
  at: string;
  /** One for each series. */
  values: readonly number[];
  /** Why it does not compare with the others; then it is hollow, and no line leads to it. */
  hollow?: string | undefined;
}

interface Common {
  /** What the chart shows, in a sentence with its figures. */
  label: string;
  /** What the axis of the values counts. */
  unit: string;
  /** The end of the axis of the values; without it the greatest value is. */
  top?: number;
  series: readonly Series[];
}

export interface RunsProps extends Common {
  kind: "line" | "columns";
  /** Oldest first. */
  runs: readonly Run[];
  height: number;
}

interface Row {
  id: string;
  name: string;
  values: readonly number[];
}

export interface BarsProps extends Common {
  rows: readonly Row[];
}

/** The stretches of runs that compare: where one does not, the line has a gap. */
export function stretches(runs: readonly Run[]): Run[][] {
  const out: Run[][] = [[]];
  for (const run of runs) {
    if (run.hollow === undefined) out.at(-1)?.push(run);
    else out.push([]);
  }
  return out.filter((stretch) => stretch.length > 0);
}

/** Where each part of a stack begins and ends. */
export function stacked(values: readonly number[]): [number, number][] {
  let end = 0;
  return values.map((value) => {
    const from = end;
    end += value;
    return [from, end];
  });
}

/** Which of the places, which ascend, is nearest. */
export function nearest(places: readonly number[], place: number): number {
  let best = 0;
  places.forEach((one, i) => {
    if (Math.abs(one - place) < Math.abs((places[best] ?? 0) - place)) best = i;
  });
  return best;
}

/** The ticks of an axis without those that would stand on another, as the first of a month on the 31st, or say the same. */
export function apart<T>(
  ticks: readonly T[],
  place: (tick: T) => number,
  word: (tick: T) => string,
  room: number,
): T[] {
  const kept: T[] = [];
  for (const tick of ticks) {
    const [last] = kept.slice(-1);
    if (last === undefined || (place(tick) - place(last) >= room && word(tick) !== word(last))) kept.push(tick);
  }
  return kept;
}

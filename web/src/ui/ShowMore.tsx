import { type ReactNode, useState } from "react";
import { integer, plural } from "../lib/number";
import { More } from "./More";

interface Props<T> {
  of: readonly T[];
  /** What one of them is called, and several. */
  word: [string, string];
  /** How many at first, and how many more each time. */
  step: number;
  children: (shown: readonly T[]) => ReactNode;
}

/** The beginning of a list that can have thousands, and a button for more of it. */
export function ShowMore<T>({ of, word, step, children }: Props<T>) {
  const [most, setMost] = useState(step);
  const left = of.length - most;
  return (
    <>
      {children(of.slice(0, most))}
      {left > 0 && (
        <More left={left} onClick={() => setMost(most + step)}>
          Show {integer(Math.min(step, left))} more of {plural(of.length, ...word)}
        </More>
      )}
    </>
  );
}

import { describe, expect, it } from "vitest";
import type { TrendPoint } from "../../api/types";
import { marksOf, newestPair, wordsOf } from "./line";

const run = (score: number, partial = false) => ({ assessmentId: `run ${score}`, score, partial }) as TrendPoint;

describe("the newest two that compare", () => {
  it("leaves out narrowed runs, wherever they are", () => {
    const pair = newestPair([run(10), run(20), run(99, true), run(30), run(98, true)]);
    expect([pair?.before.score, pair?.current.score]).toEqual([20, 30]);
  });
  it.each([[[]], [[run(1)]], [[run(1), run(2, true)]]])("is nothing with fewer than two whole runs", (points) =>
    expect(newestPair(points)).toBeUndefined(),
  );
});

describe("the line", () => {
  it("has the best score at the top, the worst at the bottom, and the newest at the right", () => {
    const [worst, best] = marksOf([run(0), run(100)], 80, 40);
    expect([worst?.y, best?.y]).toEqual([36, 4]);
    expect([worst?.x, best?.x]).toEqual([4, 76]);
  });
  it("marks what was narrowed", () =>
    expect(marksOf([run(5), run(6, true)], 80, 40).map(({ partial }) => partial)).toEqual([false, true]));
  it("is told in words without what does not compare", () => {
    expect(wordsOf([run(40), run(20), run(100, true), run(30)])).toBe(
      "Score of 3 runs: first 40, lowest 20, highest 40, newest 30.",
    );
    expect(wordsOf([run(40, true)])).toBe("No whole run.");
  });
});

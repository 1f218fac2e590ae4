import { describe, expect, it } from "vitest";
import type { TrendPoint } from "../../api/types";
import { hollowOf, marksOf, newestPair, runsOf, wordsOf } from "./line";

const run = (score: number, partial = false, grade: string | null = "C") =>
  ({ assessmentId: `run ${score}`, score, partial, grade }) as TrendPoint;

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
  it("marks what does not compare: narrowed, or without a grade", () => {
    const points = [run(5), run(6, true), run(7, false, null)];
    expect(marksOf(points, 80, 40).map(({ hollow }) => hollow)).toEqual([false, true, true]);
    expect(points.map(hollowOf)).toEqual([undefined, "a part of the account", "too little could be judged"]);
    expect(
      runsOf(points, ({ score }) => [score]).map(({ values, hollow }) => [values[0], hollow !== undefined]),
    ).toEqual([
      [5, false],
      [6, true],
      [7, true],
    ]);
  });
  it("is told in words without what does not compare", () => {
    expect(wordsOf([run(40), run(20), run(100, true), run(90, false, null), run(30)])).toBe(
      "Score of 3 runs: first 40, lowest 20, highest 40, newest 30. 2 runs do not compare.",
    );
    expect(wordsOf([run(40, true)])).toBe("No whole run. 1 run does not compare.");
  });
});

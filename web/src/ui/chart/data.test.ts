import { expect, it } from "vitest";
import { apart, nearest, type Run, stacked, stretches } from "./data";

const run = (id: string, hollow?: string): Run => ({ id, at: "", values: [1], hollow });

it("leaves a gap where a run does not compare, also at the ends", () => {
  const runs = [run("a", "no"), run("b"), run("c"), run("d", "no"), run("e", "no"), run("f"), run("g", "no")];
  expect(stretches(runs).map((stretch) => stretch.map(({ id }) => id))).toEqual([["b", "c"], ["f"]]);
  expect(stretches([])).toEqual([]);
});

it("stacks from the ground", () =>
  expect(stacked([2, 0, 3])).toEqual([
    [0, 2],
    [2, 2],
    [2, 5],
  ]));

it("finds the nearest place", () => {
  expect([-5, 4, 6, 99].map((place) => nearest([0, 10, 20], place))).toEqual([0, 0, 1, 2]);
});

it("leaves out ticks without room, and those that say the same", () => {
  expect(apart([0, 50, 60, 100, 149, 150], (x) => x, String, 50)).toEqual([0, 50, 100, 150]);
  expect(
    apart(
      [0, 60, 120],
      (x) => x,
      (x) => (x < 100 ? "08:06" : "08:07"),
      50,
    ),
  ).toEqual([0, 120]);
});

import { expect, it } from "vitest";
import { moved } from "./moved";

it("moves up and down, and not over the ends", () => {
  const list = ["a", "b", "c"];
  expect(moved(list, 2, 1)).toEqual(["a", "c", "b"]);
  expect(moved(list, 0, 1)).toEqual(["b", "a", "c"]);
  expect(moved(list, 0, -1)).toEqual(list);
  expect(moved(list, 2, 3)).toEqual(list);
});

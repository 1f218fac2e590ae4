import { expect, it } from "vitest";
import { type Heard, hear } from "./keys";

/** Keys with the milliseconds before each. */
const press = (...keys: [string, number][]) => {
  let heard: Heard = {};
  let at = 0;
  for (const [key, wait] of keys) {
    at += wait;
    heard = hear(heard, key, at);
  }
  return heard.action;
};

it("goes to a page by two keys, if the second comes soon", () => {
  expect(press(["g", 0], ["m", 1400])).toEqual({ page: "/a/$a/r/$r/map" });
  expect(press(["g", 0], ["m", 1600])).toBeUndefined();
});
it("hears a key that follows a wrong first one", () => {
  expect(press(["g", 0], ["/", 10])).toBe("search");
  expect(press(["g", 0], ["g", 10], ["f", 10])).toEqual({ page: "/a/$a/r/$r/findings" });
});
it("keeps nothing after a meaning", () => expect(press(["g", 0], ["f", 10], ["f", 10])).toBeUndefined());
it("knows nothing of other keys", () => expect(press(["m", 0])).toBeUndefined());

import { expect, it } from "vitest";
import { asKept } from "./hostname";

it.each([
  ["bücher.example", "xn--bcher-kva.example"],
  ["BÜCHER", "xn--bcher-kva"],
  ["shop.example", "shop.example"],
  ["Regel für alle", "Regel für alle"],
  ["", ""],
])("keeps %s as %s", (typed, kept) => {
  expect(asKept(typed)).toBe(kept);
});

import { expect, it } from "vitest";
import { toggled } from "./toggled";

it("toggles", () => expect(toggled(toggled(["a"], "b"), "a")).toEqual(["b"]));

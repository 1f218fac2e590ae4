import { expect, it } from "vitest";
import { changesOf, GROUPS, grouped, isSecret } from "./groups";

it("shows every known key once and unknown ones apart", () => {
  const all = GROUPS.flatMap(({ keys }) => keys);
  expect(new Set(all).size).toBe(all.length);
  expect(grouped([...all, "newKey"]).at(-1)).toEqual({ title: "Others", keys: ["newKey"] });
  expect(grouped(["hecUrl"])).toEqual([{ title: "Splunk", keys: ["hecUrl"] }]);
});

it("takes an unknown key for a secret", () => {
  expect(isSecret("newKey")).toBe(true);
  expect(isSecret("hecToken")).toBe(true);
  expect(isSecret("searchUrl")).toBe(false);
});

it("sends what was typed or cleared only", () => {
  expect(changesOf({ searchUrl: " https://x ", aiModel: " " }, ["hecUrl"])).toEqual({
    searchUrl: "https://x",
    hecUrl: "",
  });
  expect(changesOf({ hecUrl: "https://x" }, ["hecUrl"])).toEqual({ hecUrl: "" });
});

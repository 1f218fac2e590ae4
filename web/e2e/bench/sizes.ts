import { expect, it } from "vitest";
import { atMost } from "../fixtures/figures.ts";
import { entryScripts, laterPages, styleSheets, sum } from "../fixtures/sizes.ts";

const kB = (bytes: number) => Math.round(bytes / 100) / 10;

it("sizes, compressed", async () => {
  const later = await laterPages();
  const map = [...later.keys()].filter((name) => name.includes("MapPage"));
  const met = [
    atMost("entry JS, gzip", kB(await sum(await entryScripts())), "kB", 160),
    atMost("all CSS, gzip", kB(await sum(styleSheets)), "kB", 15),
    atMost("map chunk, gzip", kB(await sum(map)), "kB", 20),
    atMost("largest later page, gzip", kB(Math.max(...later.values())), "kB", 60),
  ];
  expect(met).not.toContain(false);
});

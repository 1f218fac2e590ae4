import { expect, it } from "vitest";
import { assets, built, files } from "./fixtures/dist.ts";
import { entryScripts, laterPages, page, styleSheets, sum, textOf } from "./fixtures/sizes.ts";

const kB = 1000;

it("loads at most 160 kB of script at first", async () => {
  expect(await sum(await entryScripts())).toBeLessThanOrEqual(160 * kB);
});

it("has at most 15 kB of styles in all", async () => {
  expect(await sum(styleSheets)).toBeLessThanOrEqual(15 * kB);
});

it("loads at most 60 kB for any page later", async () => {
  for (const [name, bytes] of await laterPages()) expect(bytes, name).toBeLessThanOrEqual(60 * kB);
});

it("has scripts and styles only compressed, in both ways, and no source maps", () => {
  for (const name of assets.filter((asset) => /\.(js|css)$/.test(asset))) {
    expect(files).toContain(`${name}.br`);
    expect(files).toContain(`${name}.gz`);
    expect(files).not.toContain(name);
  }
  expect(assets.filter((name) => name.includes(".map"))).toEqual([]);
});

it("refers to no other host", async () => {
  const links = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link ?? "");
  expect(links.filter((link) => !link.startsWith("/"))).toEqual([]);
  for (const name of styleSheets) {
    const text = await textOf(name);
    expect(text).not.toContain("@import");
    expect(
      [...text.matchAll(/url\(([^)]*)\)/g)].filter(([, to]) => !/^\/assets\/[\w-]+\.woff2$/.test(to ?? "")),
    ).toEqual([]);
  }
});

it("has one typeface of at most 50 kB, asked for before its first letter", async () => {
  const fonts = assets.filter((name) => name.endsWith(".woff2"));
  expect(fonts).toHaveLength(1);
  expect((await built(fonts[0] ?? "")).length).toBeLessThanOrEqual(50 * kB);
  expect(page).toContain(`href="/${fonts[0]}"`);
});

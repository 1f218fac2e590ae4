import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const kB = 1000;

const size = async (name: string) => gzipSync(await readFile(DIST + name), { level: 9 }).length;
const sum = async (names: string[]) => (await Promise.all(names.map(size))).reduce((a, b) => a + b, 0);

/** A script and what it imports at once, but not what it loads later. */
async function withImports(name: string, seen = new Set<string>()): Promise<string[]> {
  if (!seen.has(name)) {
    seen.add(name);
    const code = await readFile(DIST + name, "utf8");
    for (const [, other] of code.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
      await withImports(`assets/${other}`, seen);
    }
  }
  return [...seen];
}

const page = await readFile(`${DIST}index.html`, "utf8");
const assets = (await readdir(`${DIST}assets`)).map((name) => `assets/${name}`);
const entry = /<script type="module"[^>]* src="\/(assets\/[^"]+)"/.exec(page)?.[1] ?? "";
const preloaded = [...page.matchAll(/href="\/(assets\/[^"]+\.js)"/g)].map(([, name]) => name ?? "");

it("loads at most 160 kB of script at first", async () => {
  const initial = new Set([...(await withImports(entry)), ...preloaded]);
  const bytes = await sum([...initial]);
  expect(bytes).toBeLessThanOrEqual(160 * kB);
});

it("has at most 15 kB of styles in all", async () => {
  expect(await sum(assets.filter((name) => name.endsWith(".css")))).toBeLessThanOrEqual(15 * kB);
});

it("loads at most 60 kB for any page later", async () => {
  const initial = new Set([...(await withImports(entry)), ...preloaded]);
  for (const name of assets.filter((asset) => asset.endsWith(".js") && !initial.has(asset))) {
    const more = (await withImports(name)).filter((other) => !initial.has(other));
    expect(await sum(more), name).toBeLessThanOrEqual(60 * kB);
  }
});

it("has compressed copies and no source maps", () => {
  for (const name of assets.filter((asset) => /\.(js|css)$/.test(asset))) {
    expect(assets).toContain(`${name}.br`);
    expect(assets).toContain(`${name}.gz`);
  }
  expect(assets.filter((name) => name.includes(".map"))).toEqual([]);
});

it("refers to no other host", async () => {
  const links = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link ?? "");
  expect(links.filter((link) => !link.startsWith("/"))).toEqual([]);
  for (const name of assets.filter((asset) => asset.endsWith(".css"))) {
    expect(await readFile(DIST + name, "utf8")).not.toMatch(/url\(|@import/);
  }
});

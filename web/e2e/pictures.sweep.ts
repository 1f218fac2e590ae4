import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, openPage } from "./browser.ts";
import { COLOURS, TAGS, violations } from "./fixtures/axe.ts";
import { ask } from "./fixtures/cloud.ts";
import { Frozen } from "./fixtures/frozen.ts";
import {
  demoStage,
  largeStages,
  MOVED,
  PAGES,
  type Shown,
  STATES,
  type Stage,
  type State,
  stillness,
} from "./fixtures/gallery.ts";
import { indexOf } from "./fixtures/pictureIndex.ts";
import { comparer, SIZES, shoot, still, THEMES } from "./fixtures/shots.ts";

/*
 * Pictures of every page in every size, theme and state. `npm run pictures` takes them
 * anew; in the sweep they are compared with those that are committed, and axe looks at each.
 */
const TAKEN_ANEW = process.env.PICTURES === "take";
const FOLDER = fileURLToPath(new URL("../../docs/pictures", import.meta.url));
const MOST = 6e6;

let browser: Browser;
let stages: Record<State, Stage>;
let stop: () => Promise<unknown>;
let differs: Awaited<ReturnType<typeof comparer>>;
let changes: string;
const frozen = new Map<Stage, Frozen>();
const taken = new Set<string>();

beforeAll(async () => {
  browser = await launch();
  differs = await comparer(browser);
  changes = await mkdtemp(join(tmpdir(), "edgeposture-pictures-"));
  const [demo, { large, empty, stop: stopLarge }] = await Promise.all([demoStage(), largeStages()]);
  stages = { demo, "200 zones": large, empty, failing: demo };
  stop = () => Promise.all([demo.service.stop(), stopLarge()]);
  for (const stage of [demo, large, empty]) {
    const of = new Frozen(stage.at);
    frozen.set(stage, of);
    // Ids get their names in the order of these lists, not in that of requests that overtake each other.
    for (const list of ["accounts", "assessments", "jobs", "schedules", "exceptions", "audit"])
      of.text(JSON.stringify(await ask(stage.service, "GET", `/api/${list}`)));
  }
  if (TAKEN_ANEW) {
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER);
  }
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await stop?.();
  if (changes && (await readdir(changes)).length === 0) await rm(changes, { recursive: true });
});

/** What a page is within keeps answering, or every page would look like the shell that found no account. */
const ALWAYS = /^\/api\/(session|health|accounts|assessments(\/[^/]+)?)$/;
const fails = (state: State, { route }: Shown) => {
  if (state !== "failing") return () => false;
  return (path: string) => !(route.startsWith("/a/") && ALWAYS.test(path));
};

const SHOTS = PAGES.flatMap((shown) => shown.states.map((state) => ({ ...shown, shown, state })));

// Most of the time is spent waiting; a page that does something comes after those which would show it.
it.concurrent.each(SHOTS.filter(({ ready }) => !ready))("$name, $state", pictured);
it.each(SHOTS.filter(({ ready }) => ready))("$name, $state", pictured);

async function pictured({ shown, state }: (typeof SHOTS)[number]) {
  const stage = stages[state];
  const clock = frozen.get(stage) as Frozen;
  // The style that stops everything is brought in from outside, which the policy forbids.
  const { page, close } = await openPage(browser, stage.service.url, { reducedMotion: "reduce", bypassCSP: true });
  const settled = stillness(page);
  await clock.between(page, fails(state, shown));
  await page.goto(clock.text(shown.address(stage)));
  await settled();
  await shown.ready?.(page);
  await still(page);
  const session = await page.context().newCDPSession(page);
  const changed: string[] = [];
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await settled();
      await page.evaluate(() => window.scrollTo(0, 0));
      const name = `${shown.name}-${state.replace(" ", "-")}-${size.name}-${theme}.webp`;
      taken.add(name);
      const picture = await shoot(session, size);
      if (TAKEN_ANEW) await writeFile(join(FOLDER, name), picture);
      else {
        changed.push(...(await compared(name, picture)));
        const against = await violations(page, theme === "light" ? TAGS : COLOURS);
        changed.push(...against.map((what) => `${name}: ${what}`));
      }
    }
  }
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await close();
  expect(changed).toEqual([]);
}

async function compared(name: string, picture: Buffer): Promise<string[]> {
  const before = await readFile(join(FOLDER, name)).catch(() => undefined);
  const difference = before && (await differs(before, picture));
  if (before && !difference) return [];
  await writeFile(join(changes, name), picture);
  if (!difference) return [`${name} is new: ${join(changes, name)}`];
  await writeFile(join(changes, name.replace(".webp", ".diff.webp")), difference.picture);
  return [`${name} changed by ${(100 * difference.share).toFixed(2)} %: ${join(changes, name)} and .diff.webp`];
}

it("has a picture of every route", async () => {
  const source = await readFile(new URL("../src/router.tsx", import.meta.url), "utf8");
  const parents = new Map([["root", ""]]);
  const pages: string[] = [];
  for (const [, name = "", route = ""] of source.matchAll(/const (\w+) = createRoute\(\{(.*?)\}\);\n/gs)) {
    const [, parent = ""] = /getParentRoute: \(\) => (\w+)/.exec(route) ?? [];
    const [, own = ""] = /path: "([^"]*)"/.exec(route) ?? [];
    const path = `${parents.get(parent)}${own}`;
    parents.set(name, path);
    if (!source.includes(`${name}.addChildren`)) pages.push(path === "/" ? path : path.replace(/\/$/, ""));
  }
  expect(pages.length).toBeGreaterThan(20);
  expect([...new Set([...PAGES.map(({ route }) => route), ...MOVED])].sort()).toEqual(pages.sort());
});

it("keeps an index and nothing else", async () => {
  const index = join(FOLDER, "index.html");
  const wanted = indexOf(PAGES, STATES, browser.version());
  if (TAKEN_ANEW) await writeFile(index, wanted);
  // Another version of the browser draws letters in its own way: this says so before hundreds of pictures do.
  expect(await readFile(index, "utf8"), "taken by another Chromium or of other pages: make pictures").toBe(wanted);
  const names = await readdir(FOLDER);
  expect(names.filter((name) => name !== "index.html").sort()).toEqual([...taken].sort());
  let bytes = 0;
  for (const name of names) bytes += (await readFile(join(FOLDER, name))).length;
  expect(bytes).toBeLessThan(MOST);
});

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, openPage } from "../browser.ts";
import { assessment } from "../fixtures/account.ts";
import { atLeast, atMost, median } from "../fixtures/figures.ts";
import { bigGraph } from "../fixtures/graph.ts";
import { Mock } from "../fixtures/mock.ts";

/*
 * How fast the map is without a GPU: from the last byte of the graph to the tiles, from a tile to
 * its flow, and frames a second while the page is scrolled. The bars are those of the project, on two cores.
 */
let browser: Browser;
let mock: Mock;

beforeAll(async () => {
  browser = await launch();
  mock = await Mock.start();
  mock.assessments = [assessment()];
});
afterAll(async () => {
  await browser.close();
  await mock.stop();
});

it.each([
  { nodes: 10_000, firstDraw: 300 },
  { nodes: 100_000, firstDraw: 800 },
])("$nodes resources", async ({ nodes, firstDraw }) => {
  mock.graph = { assessmentId: mock.assessments[0]?.id ?? "", graph: bigGraph(nodes), attackPaths: [] };
  const draws: number[] = [];
  const flows: number[] = [];
  const frames: Record<string, number> = {};
  let heap = 0;
  let dom = 0;
  for (let run = 0; run < 3; run++) {
    const { page, close } = await openPage(browser, mock.url, { viewport: { width: 1400, height: 900 } });
    await page.goto("/a/acc/r/latest/map");
    await page.getByRole("table", { name: "Resources" }).waitFor({ timeout: 60_000 });
    draws.push(
      await page.evaluate(() => {
        const graph = (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).find(({ name }) =>
          name.includes("/api/posture/graph"),
        );
        return (performance.getEntriesByName("map drawn")[0]?.startTime ?? 0) - (graph?.responseEnd ?? 0);
      }),
    );
    if (run === 2) frames.tiles = await page.evaluate(scroll);
    const start = performance.now();
    await page.getByRole("navigation", { name: "Map of" }).getByRole("link").first().click();
    await page.getByRole("region", { name: "Flow of" }).getByRole("button").first().waitFor();
    flows.push(performance.now() - start);
    if (run === 2) {
      frames.flow = await page.evaluate(scroll);
      dom = await page.evaluate(() => document.querySelectorAll("*").length);
      heap = await page.evaluate(
        () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
      );
    }
    await close();
  }
  const of = `map of ${nodes.toLocaleString("en-US")} resources`;
  const met = [
    atMost(`${of}, first draw`, Math.round(median(draws)), "ms", firstDraw),
    atMost(`${of}, tile to flow`, Math.round(median(flows)), "ms", 1000),
    ...Object.entries(frames).map(([name, n]) => atLeast(`${of}, ${name} scrolled`, Math.round(n), "fps", 50)),
    atMost(`${of}, DOM nodes`, dom, "nodes", 1500),
    atMost(`${of}, JS heap`, Math.round(heap / 1e6), "MB", 120),
  ];
  expect(met).not.toContain(false);
});

it("one hostname among 20,000", async () => {
  mock.graph = { assessmentId: mock.assessments[0]?.id ?? "", graph: bigGraph(20_000), attackPaths: [] };
  const { page, close } = await openPage(browser, mock.url);
  await page.goto("/a/acc/r/latest/map");
  const name = "host-17.zone-123.example";
  const box = page.getByRole("combobox", { name: "Search in the resources" });
  await box.waitFor();
  const start = performance.now();
  await box.fill(name);
  await page.getByRole("option", { name }).first().click();
  await page.getByRole("region", { name: "Flow of" }).getByRole("button", { name }).waitFor();
  const took = performance.now() - start;
  await close();
  expect(atMost("one hostname among 20,000, found and drawn", Math.round(took), "ms", 1000)).toBe(true);
});

/** Scrolls the page up and down for three seconds and counts the frames. */
function scroll(): Promise<number> {
  return new Promise((done) => {
    let first = 0;
    let frames = 0;
    const frame = (now: number) => {
      if (first === 0) first = now;
      else frames++;
      if (now - first >= 3000) {
        done((frames * 1000) / (now - first));
        return;
      }
      window.scrollTo(0, 150 + 150 * Math.sin(now / 300));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

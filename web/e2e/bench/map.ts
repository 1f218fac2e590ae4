import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, openPage } from "../browser.ts";
import { assessment } from "../fixtures/account.ts";
import { atLeast, atMost, median } from "../fixtures/figures.ts";
import { bigGraph } from "../fixtures/graph.ts";
import { Mock } from "../fixtures/mock.ts";

/*
 * How fast the posture map is without a GPU: from the last byte of the graph to
 * the first drawn frame, and frames a second while the map is dragged all the
 * time. The bars are those of the project, on two cores.
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
  { nodes: 10_000, firstDraw: 300, fps: 30 },
  { nodes: 100_000, firstDraw: 800, fps: 24 },
])("$nodes nodes", async ({ nodes, firstDraw, fps }) => {
  mock.graph = { assessmentId: mock.assessments[0]?.id ?? "", graph: bigGraph(nodes), attackPaths: [] };
  const draws: number[] = [];
  let frames: Record<string, number> = {};
  let heap = 0;
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
    if (run === 2) {
      frames = { whole: await page.evaluate(drag) };
      await page.getByRole("application").focus();
      for (let step = 0; step < 4; step++) await page.keyboard.press("+");
      frames.closer = await page.evaluate(drag);
      heap = await page.evaluate(
        () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
      );
    }
    await close();
  }
  const of = `map of ${nodes.toLocaleString("en-US")} nodes`;
  const met = [
    atMost(`${of}, first draw`, Math.round(median(draws)), "ms", firstDraw),
    ...Object.entries(frames).map(([name, n]) => atLeast(`${of}, ${name}`, Math.round(n), "fps", fps)),
    atMost(`${of}, JS heap`, Math.round(heap / 1e6), "MB", 120),
  ];
  expect(met).not.toContain(false);
});

/** Drags the map in a circle for three seconds and counts the frames. */
function drag(): Promise<number> {
  const canvas = document.querySelector("canvas");
  if (!canvas) throw new Error("there is no map");
  const box = canvas.getBoundingClientRect();
  const at = (type: string, t: number, target: EventTarget) =>
    target.dispatchEvent(
      new PointerEvent(type, {
        pointerId: 9,
        clientX: box.left + box.width / 2 + 90 * Math.cos(t / 300),
        clientY: box.top + box.height / 2 + 90 * Math.sin(t / 300),
      }),
    );
  return new Promise((done) => {
    let first = 0;
    let frames = 0;
    const frame = (now: number) => {
      if (first === 0) {
        first = now;
        at("pointerdown", now, canvas);
      } else frames++;
      if (now - first >= 3000) {
        at("pointerup", now, window);
        done((frames * 1000) / (now - first));
        return;
      }
      at("pointermove", now, window);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, openPage } from "../browser.ts";
import { assessment } from "../fixtures/account.ts";
import { atMost, median, p95 } from "../fixtures/figures.ts";
import { heapOf, largestPaint, rested } from "../fixtures/measure.ts";
import { Mock } from "../fixtures/mock.ts";
import { startService } from "../fixtures/service.ts";

/*
 * What people wait for: the first page that says something, a key in the filter, and
 * the end of a very long list. Two cores, no GPU.
 */
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

// Cold: nothing of the dashboard is cached. The browser has finished opening the tab.
it("largest contentful paint of the overview, cold", async () => {
  const service = await startService();
  const times: number[] = [];
  try {
    const found = await openPage(browser, service.url);
    await found.page.goto("/");
    await found.page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
    await found.page.getByText("What to do first").waitFor({ timeout: 60_000 });
    const { pathname } = new URL(found.page.url());
    await found.close();
    for (let run = 0; run < 9; run++) {
      const { page, close } = await openPage(browser, service.url);
      await rested(browser);
      await page.goto(pathname);
      await page.getByText("What to do first").waitFor();
      times.push(await page.evaluate(largestPaint));
      await close();
    }
  } finally {
    await service.stop();
  }
  const met = [
    atMost("LCP on localhost, median of 9", Math.round(median(times)), "ms", 500),
    atMost("LCP on localhost, p95", Math.round(p95(times)), "ms", 800),
  ];
  expect(met).not.toContain(false);
});

it("a key in the filter of 5,000 findings", async () => {
  const mock = await Mock.start();
  mock.assessments = [assessment({ findings: 5_000 })];
  const { page, close } = await openPage(browser, mock.url);
  await page.goto("/a/acc/r/latest/findings");
  await page.getByRole("row").nth(5).waitFor();
  const box = page.getByLabel("Fields and text to filter by");
  await box.focus();
  await page.evaluate(watchKeys);
  for (const key of "origin is encrypted 1".split("")) {
    const before = await page.evaluate(keysPainted);
    await page.keyboard.type(key);
    await expect.poll(() => page.evaluate(keysPainted).then((times) => times.length)).toBe(before.length + 1);
  }
  const times = await page.evaluate(keysPainted);
  await close();
  await mock.stop();
  const met = [
    atMost("filter key to paint at 5,000 rows, median", median(times), "ms", 50),
    atMost("filter key to paint at 5,000 rows, p95", p95(times), "ms", 50),
  ];
  expect(met).not.toContain(false);
});

it("memory at the end of 100,000 findings", { timeout: 400_000 }, async () => {
  const mock = await Mock.start();
  mock.assessments = [assessment({ findings: 150_000 })];
  const { page, close } = await openPage(browser, mock.url);
  await page.goto("/a/acc/r/latest/findings");
  await page.getByRole("row").nth(5).waitFor();
  const total = Number(await page.getByRole("grid").getAttribute("aria-rowcount")) - 1;
  expect(total).toBeGreaterThanOrEqual(100_000);
  const end = page.locator(`[aria-rowindex="100001"]`);
  await expect
    .poll(
      async () => {
        await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
        return end.or(page.locator(`[aria-rowindex="${total + 1}"]`)).count();
      },
      { timeout: 350_000, interval: 20 },
    )
    .toBeGreaterThan(0);
  const heap = await heapOf(page);
  await close();
  await mock.stop();
  expect(atMost("JS heap at the end of 100,000 findings", Math.round(heap / 1e6), "MB", 200)).toBe(true);
});

interface WithKeys {
  painted: number[];
}

/** Notes for each key how long it took until the frame after it was painted. */
function watchKeys(): void {
  const painted: number[] = [];
  (window as unknown as WithKeys).painted = painted;
  const channel = new MessageChannel();
  let started = 0;
  channel.port1.onmessage = () => painted.push(performance.now() - started);
  window.addEventListener(
    "keydown",
    ({ timeStamp }) => {
      started = timeStamp;
      // A message posted in a frame arrives after that frame was painted.
      requestAnimationFrame(() => channel.port2.postMessage(0));
    },
    { capture: true },
  );
}

function keysPainted(): number[] {
  return (window as unknown as WithKeys).painted;
}

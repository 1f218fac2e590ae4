import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, openPage } from "./browser.ts";
import { Mock } from "./fixtures/mock.ts";
import { furnish, ROUTES, visit } from "./fixtures/routes.ts";

let browser: Browser;
let mock: Mock;

beforeAll(async () => {
  browser = await launch();
  mock = await Mock.start();
  furnish(mock);
});
afterAll(async () => {
  await browser.close();
  await mock.stop();
});

// WCAG 1.4.10: 320 CSS pixels, which is also 1280 at 400 %, without scrolling sideways.
it.each(ROUTES)("%s fits into 320 pixels", async (path, text) => {
  const { page, complaints, close } = await openPage(browser, mock.url, { viewport: { width: 320, height: 640 } });
  await visit(page, mock, [path, text]);
  const [width, sideways] = await page.evaluate(() => {
    const dialog = document.querySelector('[role="dialog"]');
    return [document.documentElement.scrollWidth, dialog ? dialog.scrollWidth - dialog.clientWidth : 0];
  });
  await close();
  expect(width).toBe(320);
  expect(sideways).toBe(0);
  expect(complaints).toEqual([]);
});

it("has targets of at least 24 pixels", async () => {
  const { page, close } = await openPage(browser, mock.url);
  const small: string[] = [];
  for (const [path, text] of ROUTES.filter(([path]) => !path.includes("FINDING"))) {
    await visit(page, mock, [path, text]);
    small.push(
      ...(await page.evaluate(() =>
        [
          ...document.querySelectorAll<HTMLElement>(
            "button, select, summary, nav a, label:has(input), input:not(label *)",
          ),
        ]
          .filter((el) => el.checkVisibility() && el.getBoundingClientRect().height < 24)
          .map((el) => el.outerHTML.slice(0, 100)),
      )),
    );
  }
  await close();
  expect(small).toEqual([]);
});

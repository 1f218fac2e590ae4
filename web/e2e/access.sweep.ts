import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, openPage, type Watched } from "./browser.ts";
import { Mock } from "./fixtures/mock.ts";
import { furnish, ROUTES, visit } from "./fixtures/routes.ts";
import { tabThrough } from "./fixtures/tabbing.ts";

let browser: Browser;
let mock: Mock;
let watched: Watched;
let page: Page;

beforeAll(async () => {
  browser = await launch();
  mock = await Mock.start();
  furnish(mock);
  watched = await openPage(browser, mock.url);
  page = watched.page;
});
afterAll(async () => {
  await browser.close();
  await mock.stop();
  expect(watched.complaints).toEqual([]);
});

const go = async (route: string, text: string) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ forcedColors: "none", reducedMotion: "reduce" });
  await visit(page, mock, [route, text]);
};

/** What is told by colour alone once only system colours are left. */
function lostColours(): string[] {
  const lost: string[] = [];
  const seen = (selector: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility());
  const ground = getComputedStyle(document.documentElement).backgroundColor;
  const say = (what: string, one: Element) => lost.push(`${what}: ${one.outerHTML.slice(0, 90)}`);
  const width = (value: string) => Number.parseFloat(value) || 0;
  for (const shape of seen('svg[class*="shape"] path')) {
    const { fill } = getComputedStyle(shape);
    if (fill === "none" || fill === ground) say("shape", shape);
  }
  for (const bar of seen('[role="progressbar"]')) {
    const { borderTopWidth, borderTopColor } = getComputedStyle(bar);
    if (width(borderTopWidth) < 1 || borderTopColor === ground) say("progress", bar);
  }
  const chosen =
    '[aria-current="page"], [aria-current="step"], [aria-pressed="true"], [aria-selected="true"], label:has(> input.visually-hidden:checked)';
  for (const one of seen(chosen)) {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one);
    if (outlineStyle === "none" || width(outlineWidth) < 1 || outlineColor === ground) say("chosen", one);
  }
  return lost;
}

/** Controls that a finger misses (WCAG 2.5.8). */
const small = () =>
  [
    ...document.querySelectorAll<HTMLElement>("button, select, summary, nav a, label:has(input), input:not(label *)"),
  ].flatMap((one) =>
    one.checkVisibility() && one.getBoundingClientRect().height < 24 ? one.outerHTML.slice(0, 100) : [],
  );

/** How wide the page is, and by how much a dialog on it is too wide. */
const widths = () => {
  const dialog = document.querySelector('[role="dialog"]');
  return [document.documentElement.scrollWidth, dialog ? dialog.scrollWidth - dialog.clientWidth : 0];
};

it.each(ROUTES)("%s is used by keyboard, at 200 and 400 %, without colours and without motion", async (route, text) => {
  await go(route, text);
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  if (!route.includes("?finding=")) expect(await page.evaluate(small)).toEqual([]);

  const pass = await tabThrough(page);
  expect(pass.reached).toEqual(pass.expected);
  expect(pass.ringless).toEqual([]);
  expect(pass.stray).toEqual([]);
  expect(pass.insideGrids).toBe(0);

  await page.emulateMedia({ forcedColors: "active" });
  expect(await page.evaluate(lostColours)).toEqual([]);
  const focus = await page.evaluate(() => {
    document.querySelector<HTMLElement>("a[href], button")?.focus();
    return getComputedStyle(document.activeElement ?? document.body).outlineStyle;
  });
  if (!route.includes("FINDING")) expect(focus).not.toBe("none");

  // 1280 pixels at 200 % are 640 of the page's own, at 400 % (WCAG 1.4.10) 320.
  for (const width of [640, 320]) {
    await page.setViewportSize({ width, height: 2 * width });
    await expect.poll(() => page.evaluate(widths)).toEqual([width, 0]);
  }
});

it("skips to the content", async () => {
  await go("/a/acc", "By category");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to the content" });
  expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);
});

it("gives the focus back when Escape closes what a key opened", async () => {
  await go("/a/acc/r/latest/findings", "CFL-SSL-001");
  await page.getByRole("grid").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("Evidence").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("grid");

  await go("/a/acc/settings", "Name and scope");
  await page.getByRole("button", { name: "Delete the account…" }).press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Delete the account…");
});

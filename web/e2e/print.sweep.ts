import { execFileSync } from "node:child_process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, openPage, type Watched } from "./browser.ts";
import { assessment } from "./fixtures/account.ts";
import { Mock } from "./fixtures/mock.ts";
import { furnish, ROUTES, visit } from "./fixtures/routes.ts";

/** A4 less its margins, in CSS pixels. */
const PAPER = 703;

let browser: Browser;
let mock: Mock;
let watched: Watched;
let page: Page;

beforeAll(async () => {
  browser = await launch();
  mock = await Mock.start();
  furnish(mock);
  // The dark theme is the one that paper must not follow.
  watched = await openPage(browser, mock.url, { colorScheme: "dark", viewport: { width: PAPER, height: 1000 } });
  page = watched.page;
});
afterAll(async () => {
  await browser.close();
  await mock.stop();
  expect(watched.complaints).toEqual([]);
});

const pagesOf = async () =>
  (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;

/** Text that is not dark enough for white paper, what is wider than it, and controls nobody can press there. */
function unfit(paper: number): string[] {
  const out: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const channel = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement;
    if (!parent?.checkVisibility() || text.textContent?.trim() === "" || parent.closest("title, .visually-hidden"))
      continue;
    const [r = 0, g = 0, b = 0] = (getComputedStyle(parent).color.match(/[\d.]+/g) ?? []).map(Number);
    const light = 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
    if (1.05 / (light + 0.05) < 4.5) out.push(`pale: ${parent.outerHTML.slice(0, 80)}`);
  }
  if (document.documentElement.scrollWidth > paper) out.push(`${document.documentElement.scrollWidth} wide`);
  for (const one of document.querySelectorAll<HTMLElement>(
    'nav, body > #root > header, button, :is(table, [role="grid"]) input',
  )) {
    if (
      one.checkVisibility({ visibilityProperty: true }) &&
      !one.closest('th, [role="columnheader"]:not(:has(input)), .printed')
    )
      out.push(`shown: ${one.outerHTML.slice(0, 80)}`);
  }
  for (const one of document.querySelectorAll<HTMLElement>("main *")) {
    if (
      getComputedStyle(one).textOverflow === "ellipsis" &&
      one.checkVisibility() &&
      one.scrollWidth > one.clientWidth
    ) {
      out.push(`cut off: ${one.outerHTML.slice(0, 80)}`);
    }
  }
  for (const one of document.querySelectorAll<HTMLElement>("main :has(> table), main section")) {
    if (one.scrollWidth > one.clientWidth + 1) out.push(`cut: ${one.outerHTML.slice(0, 80)}`);
  }
  for (const details of document.querySelectorAll<HTMLDetailsElement>("main details")) {
    if (!details.open) out.push(`folded: ${details.outerHTML.slice(0, 80)}`);
  }
  return out;
}

it.each(ROUTES)("%s is printed dark on light, without controls, within the paper", async (route, text) => {
  await page.emulateMedia({ media: "screen" });
  await visit(page, mock, [route, text]);
  // Browsers print the title above each sheet.
  if (route.startsWith("/a/")) expect(await page.title()).toMatch(/northwind/i);
  await page.emulateMedia({ media: "print" });
  // The page hears of the other medium with its next frame.
  await expect.poll(() => page.evaluate(unfit, PAPER)).toEqual([]);
  await page.emulateMedia({ media: null });
  expect(await pagesOf()).toBeGreaterThan(0);
});

it("says on paper whose it is and when it was, for the sheet is read later", async () => {
  await page.emulateMedia({ media: "screen" });
  const [newest] = mock.assessments;
  const [finding] = newest?.findings ?? [];
  for (const [route, text] of [
    ["/a/acc/r/latest/issues/CFL-SSL-001", "How to fix"],
    [`/a/acc/r/latest/findings/${finding?.id}`, "Evidence"],
    ["/a/acc/r/latest/paths/ap:exposed-origin:dns:1:0", "Each of these alone"],
    ["/a/acc/r/latest/issues", "On no attack path."],
    ["/a/acc/r/latest/summary", "What an attacker gets"],
  ] as const) {
    await page.emulateMedia({ media: "screen" });
    await visit(page, mock, [route, text]);
    await page.emulateMedia({ media: "print" });
    await page.getByText(`${newest?.account.name}, assessed`).waitFor();
    await expect.poll(() => page.locator("main").textContent()).not.toMatch(/\d (seconds?|minutes?|hours?|days?) ago/);
  }
});

it("prints the names of columns on a wide sheet, where the list can be ordered by them", async () => {
  await page.emulateMedia({ media: "screen" });
  await page.setViewportSize({ width: 1000, height: 700 });
  await visit(page, mock, ["/a/acc/r/latest/issues", "On no attack path."]);
  const head = page.getByRole("columnheader").getByRole("button").first();
  await head.waitFor();
  await page.emulateMedia({ media: "print" });
  await page
    .getByText(/, assessed /)
    .first()
    .waitFor();
  expect(await head.isVisible()).toBe(true);
  await page.setViewportSize({ width: PAPER, height: 1000 });
});

it("prints the executive summary on at most five sheets, with the tables of its charts", async () => {
  await page.emulateMedia({ media: "screen" });
  const furnished = mock.assessments;
  mock.assessments = Array.from({ length: 24 }, (_, i) =>
    assessment({ number: 24 - i, gaps: i === 0, ageSeconds: 180 + i * 90_000 }),
  );
  await visit(page, mock, ["/a/acc/r/latest/summary", "What an attacker gets"]);
  await page.emulateMedia({ media: null });
  expect(await pagesOf()).toBeLessThanOrEqual(5);
  mock.assessments = furnished;
});

it("prints the map with its names, and bars whose colours the browser would leave out", async () => {
  for (const [address, name] of [
    ["/a/acc/r/latest/map", "shop.example"],
    ["/a/acc/r/latest/map?zone=1", "Internet"],
  ] as const) {
    await page.emulateMedia({ media: "screen" });
    await page.goto(address);
    const drawn = page.locator(".printed").getByText(name, { exact: true }).first();
    await drawn.waitFor();
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => drawn.isVisible()).toBe(true);
  }
  expect(await page.locator("main").evaluate((one) => getComputedStyle(one).printColorAdjust)).toBe("exact");
});

it("leaves no sheet of the overview empty, however long the tables of its charts are", async () => {
  await page.emulateMedia({ media: "screen" });
  const furnished = mock.assessments;
  const long = assessment({ number: 3 });
  const [one] = Object.values(long.score.byCategory);
  if (one) long.score.byCategory = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`category ${i}`, one]));
  mock.assessments = [long];
  await visit(page, mock, ["/a/acc", "By category"]);
  await page.emulateMedia({ media: null });
  const text = execFileSync("pdftotext", ["-", "-"], { input: await page.pdf({ format: "A4" }) }).toString();
  const sheets = text.split("\f").slice(0, -1);
  expect(sheets.length).toBeGreaterThan(2);
  expect(sheets.filter((sheet) => sheet.trim() === "")).toEqual([]);
  expect(sheets[0]).toContain(mock.accounts[0]?.name);
  mock.assessments = furnished;
});

it("prints every row that is loaded, and says how many are not", async () => {
  await page.emulateMedia({ media: "screen" });
  const furnished = mock.assessments;
  mock.assessments = [assessment({ number: 3, findings: 700 })];
  await page.goto("/a/acc/r/latest/findings");
  await page.getByRole("grid").waitFor();
  const rows = () => page.getByRole("row").count();
  expect(await rows()).toBeLessThan(100);
  await page.emulateMedia({ media: "print" });
  const total = mock.assessments[0]?.findings.filter(({ result }) => result !== "PASS").length ?? 0;
  await expect.poll(rows).toBe(201);
  await page.getByText(`${total - 200} more findings not loaded, and so not printed.`).waitFor();
  await page.emulateMedia({ media: null });
  await expect.poll(rows).toBeLessThan(100);
  // Four of these rows fit into an inch; what was scrolled away would leave one sheet.
  expect(await pagesOf()).toBeGreaterThan(3);
  await expect.poll(rows).toBeLessThan(100);
  mock.assessments = furnished;
});

import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch } from "./browser.ts";
import { some } from "./fixtures/some.ts";

// What the Go tests hold the exporter to; its hostile names are in it.
const GOLDEN = fileURLToPath(new URL("../../internal/delivery/export/testdata/report.golden.html", import.meta.url));
const TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

let browser: Browser;
let server: Server;
let url: string;
let axe: string;
let golden: string;

/** Serves the report with its header, and at /broken one that somebody got a script and a style into. */
beforeAll(async () => {
  browser = await launch();
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  golden = await readFile(GOLDEN, "utf8");
  const meta = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(golden)?.[1] ?? "";
  const policy = `${meta.replaceAll("&#39;", "'").replaceAll("&#43;", "+").replaceAll("&#34;", '"')}; frame-ancestors 'self'`;
  const broken = golden.replace("</h1>", '</h1><script>document.title = "taken"</script><p style="color: red">x</p>');
  server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy });
    response.end(request.url === "/broken" ? broken : golden);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  await new Promise((done) => server.close(done));
});

/** Opens the report and notes every request and every word on the console. */
async function open(path: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const requests: string[] = [];
  const words: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => words.push(message.text()));
  page.on("pageerror", (error) => words.push(String(error)));
  page.on("dialog", (dialog) => {
    words.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url + path, { waitUntil: "networkidle" });
  return { page, requests, words, close: () => context.close() };
}

const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  it("makes one request and leaves the console empty", async () => {
    const { page, requests, words, close } = await open("/report", { colorScheme });
    await unfold(page);
    const [width, background] = await page.evaluate(() => {
      const style = getComputedStyle(document.body);
      return [style.maxWidth, getComputedStyle(document.documentElement).backgroundColor];
    });
    await close();
    expect(requests).toEqual([`${url}/report`]);
    expect(words).toEqual([]);
    // The style of the page is the one the policy allows.
    expect(width).toBe("1040px");
    expect(background).toBe(colorScheme === "dark" ? "rgb(14, 17, 22)" : "rgb(255, 255, 255)");
  });

  it.each(
    some(2, [
      ["folded", 1280],
      ["unfolded", 1280],
      ["unfolded", 390],
    ] as const),
  )("has no barrier, %s at %i pixels", async (state, width) => {
    // Everything is within the viewport, so that nothing is skipped as out of sight.
    const { page, close } = await open("/report", {
      colorScheme,
      bypassCSP: true,
      viewport: { width, height: 12_000 },
    });
    if (state === "unfolded") await unfold(page);
    await page.evaluate(axe);
    const results = (await page.evaluate(
      (tags) => (window as unknown as { axe: typeof import("axe-core") }).axe.run({ runOnly: tags }),
      TAGS,
    )) as AxeResults;
    await close();
    expect(results.passes.length).toBeGreaterThan(20);
    expect(results.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`)).toEqual(
      [],
    );
  });
});

it("notices what does not belong there", async () => {
  const { page, words, close } = await open("/broken");
  const title = await page.title();
  await close();
  expect(title).not.toBe("taken");
  expect(words.filter((text) => text.includes("Content Security Policy")).length).toBeGreaterThanOrEqual(2);
});

it("shows everything on paper, in light colours", async () => {
  const { page, close } = await open("/report", { colorScheme: "dark" });
  const hidden = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("details:not([open]) > :not(summary)")]
        .filter((el) => !el.checkVisibility({ contentVisibilityAuto: true }) || el.getBoundingClientRect().height === 0)
        .map((el) => el.className),
    );
  const onScreen = await hidden();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  // What is told apart by the medium is drawn with the next frame.
  await expect.poll(hidden).toEqual([]);
  const [scheme, background] = await page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    return [style.colorScheme, style.backgroundColor] as const;
  });
  const folded = await page.locator("details:not([open])").count();
  await page.emulateMedia({ media: null, colorScheme: "dark" });
  const paper = await page.pdf({ preferCSSPageSize: true });
  await close();
  expect(onScreen.length).toBeGreaterThan(0);
  expect(folded).toBe(onScreen.length);
  expect(scheme).toBe("light");
  expect(background).toBe("rgb(255, 255, 255)");
  // A4 in points.
  expect(paper.toString("latin1")).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]/);
});

it("leads from the list of issues to each", async () => {
  const { page, close } = await open("/report");
  await page.getByRole("link", { name: "No record reveals the origin of a proxied host" }).click();
  const target = await page.evaluate(() => document.querySelector(":target")?.textContent);
  await close();
  expect(target).toContain("and 1 more");
});

// WCAG 1.4.10: 320 CSS pixels without scrolling sideways; wide tables scroll by themselves.
it.each([320, 390, 768])("fits into %i pixels", async (width) => {
  const { page, close } = await open("/report", { viewport: { width, height: 12_000 } });
  await unfold(page);
  const [sideways, tables, low] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    [...document.querySelectorAll<HTMLElement>('[role="region"]')].filter(
      (el) => el.scrollWidth > el.clientWidth && (el.tabIndex !== 0 || !el.ariaLabel),
    ).length,
    [...document.querySelectorAll<HTMLElement>("summary")].filter((el) => el.getBoundingClientRect().height < 24)
      .length,
  ]);
  await close();
  expect(sideways).toBe(width);
  expect(tables).toBe(0);
  expect(low).toBe(0);
});

it("is read in order and with the keyboard alone", async () => {
  const { page, close } = await open("/report");
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement?.textContent);
  await page.keyboard.press("Enter");
  const landed = await page.evaluate(() => document.activeElement?.id);
  await page.locator("summary").first().focus();
  await page.keyboard.press("Enter");
  const opened = await page.locator("details .scroll").first().isVisible();
  const levels = await page.evaluate(() =>
    [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((el) => Number(el.tagName[1])),
  );
  await close();
  expect(first).toBe("Skip to the content");
  expect(landed).toBe("content");
  expect(opened).toBe(true);
  expect(levels[0]).toBe(1);
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  expect(levels.filter((level, i) => i > 0 && level > (levels[i - 1] ?? 0) + 1)).toEqual([]);
});

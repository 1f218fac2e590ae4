import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AssessmentSummary } from "../src/api/types";
import { launch, openPage } from "./browser.ts";
import { ask } from "./fixtures/cloud.ts";
import { type Service, startService } from "./fixtures/service.ts";

/*
 * The pictures of the documentation, from the demo account. Its contents follow from a
 * seed; the clock of the page stands three minutes after the run, so that ages are the same
 * each time.
 */
const fileOf = (name: string) => fileURLToPath(new URL(`../../docs/${name}.png`, import.meta.url));
const MOST = 200_000;

let browser: Browser;
let service: Service;
let account: string;
let now: number;

beforeAll(async () => {
  browser = await launch();
  service = await startService();
  const { page, close } = await openPage(browser, service.url);
  await page.goto("/");
  await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
  await page.getByText("What to do first").waitFor({ timeout: 90_000 });
  account = new URL(page.url()).pathname;
  const { assessments } = await ask<{ assessments: AssessmentSummary[] }>(service, "GET", "/api/assessments");
  now = Date.parse(assessments[0]?.completedAt ?? "") + 3 * 60_000;
  await close();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function makePlan(page: Page) {
  await page.getByText("of 1 check chosen").waitFor();
  await page.getByRole("button", { name: "Make a plan" }).click();
  await page.getByRole("list", { name: "Changes" }).waitFor();
}

/** Name, address after the account, height, and what shows that it is there. */
const PICTURES: [string, string, number, (page: Page) => Promise<unknown>][] = [
  ["dashboard", "", 875, (page) => page.getByText("Critical", { exact: true }).nth(1).waitFor()],
  ["findings", "/r/latest/findings", 760, (page) => page.getByRole("row").nth(12).waitFor()],
  ["paths", "/r/latest/paths", 875, openPath],
  ["map", "/r/latest/map", 640, (page) => page.getByRole("table", { name: "Resources" }).waitFor()],
  ["flow", "/r/latest/map", 640, openFlow],
  ["remediation", "/r/latest/remediation?check=CFL-SSL-001", 875, makePlan],
];

async function openPath(page: Page) {
  await page.getByRole("table", { name: "Attack paths" }).getByRole("link").first().click();
  await page.getByRole("list", { name: "Hops from the entry to the target" }).waitFor();
}

async function openFlow(page: Page) {
  await page.getByRole("navigation", { name: "Map of" }).getByRole("link").first().click();
  await page.getByRole("region", { name: "Flow of" }).getByRole("button").first().waitFor();
}

it.each(PICTURES)("takes the picture of %s", async (name, path, height, ready) => {
  const { page, complaints, close } = await openPage(browser, service.url, {
    colorScheme: "light",
    reducedMotion: "reduce",
    viewport: { width: 1400, height },
  });
  await page.clock.setFixedTime(now);
  // The page takes the time from its service.
  await page.route("**/api/**", async (route) => {
    const response = await route.fetch();
    return route.fulfill({ response, headers: { ...response.headers(), date: new Date(now).toUTCString() } });
  });
  await page.goto(account.replace(/\/$/, "") + path);
  await ready(page);
  await page.evaluate(() => document.fonts.ready.then(() => window.scrollTo(0, 0)));
  await page.screenshot({ path: fileOf(name), animations: "disabled" });
  await close();
  expect(complaints).toEqual([]);
  expect((await stat(fileOf(name))).size).toBeLessThan(MOST);
});

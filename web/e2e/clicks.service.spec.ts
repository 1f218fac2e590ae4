import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Issue, Plan } from "../src/api/types";
import { launch, openPage } from "./browser.ts";
import { ask } from "./fixtures/cloud.ts";
import { hasService, type Service, startService } from "./fixtures/service.ts";
import { HANDS, type Hand, press } from "./fixtures/tabbing.ts";

/*
 * What people come for on the demo account, with the clicks and choices it takes; typing a name counts as one.
 */
let browser: Browser;
let service: Service;
let account: string;
let page: Page;
let clicks: number;

const click = async (what: Locator, hand: Hand = "mouse") => {
  await press(what, hand);
  clicks++;
};
const tile = (name: string) =>
  page.getByRole("navigation", { name: "Map of" }).getByRole("link", { name: new RegExp(`^${name}`) });
const cards = () => page.getByRole("region", { name: "Flow of" }).getByRole("button");
/** Types a name into the box of the map and takes the suggestion of a type. */
async function find(name: string, type: string) {
  await page.getByRole("combobox", { name: "Search in the resources" }).fill(name);
  clicks++;
  await click(page.getByRole("option", { name: new RegExp(`${name}.*${type}`) }).first());
}

describe.skipIf(!hasService && !process.env.CI)("clicks", () => {
  beforeAll(async () => {
    browser = await launch();
    service = await startService();
    const { page: first, close } = await openPage(browser, service.url);
    await first.goto("/");
    await first.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
    await first.getByText("What to do first").waitFor({ timeout: 90_000 });
    account = new URL(first.url()).pathname.replace(/\/$/, "");
    await close();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    const opened = await openPage(browser, service.url, { reducedMotion: "reduce" });
    page = opened.page;
    clicks = 0;
    onTestFinished(async () => {
      await opened.close();
      expect(opened.complaints).toEqual([]);
    });
  });

  it.each(HANDS)("goes from the first screen to a plan of the worst risk by %s", async (hand) => {
    const [worst] = (await ask<{ items: Issue[] }>(service, "GET", "/api/issues?limit=1")).items;
    await page.goto("/");
    await click(page.getByRole("table", { name: "Accounts" }).getByRole("link").first(), hand);
    await click(page.getByRole("link", { name: `Fix: ${worst?.title}`, exact: true }), hand);
    await page.getByRole("list", { name: "Changes" }).waitFor({ timeout: 45_000 });
    expect(clicks).toBeLessThanOrEqual(3);
    const plan = new URL(page.url()).searchParams.get("plan");
    const { changes } = await ask<Plan>(service, "GET", `/api/remediate/plans/${plan}`);
    expect(changes).toHaveLength(worst?.resources ?? 0);
    expect(new Set(changes.map(({ checkId }) => checkId))).toEqual(new Set([worst?.checkId]));
  });

  it.each(HANDS)("saves a report by %s", async (hand) => {
    await page.goto(account);
    await click(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Reports" }), hand);
    const download = page.waitForEvent("download");
    await click(page.getByRole("main").getByRole("button", { name: /HTML/ }).first(), hand);
    await download;
    expect(clicks).toBeLessThanOrEqual(2);
  });

  it.each<[string, number, () => Promise<void>, () => string[]]>([
    ["Which zone is the riskiest?", 0, async () => {}, () => []],
    [
      "What on the internet reaches the bucket backup-open?",
      2,
      () => find("backup-open", "R2 bucket"),
      () => ["Internet", "backup-open.acme-shop.example"],
    ],
    [
      "Which hosts of acme-shop.example lead past Cloudflare?",
      2,
      async () => {
        await click(tile("acme-shop.example"));
        await click(page.getByRole("button", { name: "Only past Cloudflare" }));
      },
      () => ["direct-public-lb.acme-shop.example", "legacy.acme-shop.example", "91.0.0.20"],
    ],
    [
      "What stands before portal5.acme-shop.example?",
      2,
      () => find("portal5.acme-shop.example", "Host"),
      () => ["Internet", "Portal 5"],
    ],
    [
      "Which hosts lead to the server 185.220.23.10?",
      2,
      () => find("185.220.23.10", "Origin"),
      () => ["blind-lb.acme-shop.example", "direct-public-lb.acme-shop.example"],
    ],
    [
      "What does the Worker edge-router read?",
      2,
      () => find("edge-router", "Worker"),
      () => ["orders-1", "sessions-1", "mail-1", "assets-1"],
    ],
    ["What stands behind tunnel-1?", 2, () => find("tunnel-1", "Tunnel"), () => ["10.20.0.0/16"]],
    [
      "How does an attack path of acme-shop.example go?",
      2,
      async () => {
        await click(tile("acme-shop.example"));
        await page.getByLabel("Attack path").selectOption({ label: "Exposed origin: legacy.acme-shop.example" });
        clicks++;
      },
      () => ["legacy.acme-shop.example", "91.0.0.20"],
    ],
    ["Which buckets does the internet reach?", 1, () => click(tile("R2 buckets")), () => ["Internet", "backup-open"]],
    [
      "Which Access applications have findings?",
      1,
      () => click(tile("Access apps")),
      () => ["Tool everyone-with-require"],
    ],
  ])("answers on the map: %s", async (_, most, ask, answer) => {
    await page.goto(`${account}/r/latest/map`);
    await tile("").first().waitFor();
    await ask();
    expect(clicks).toBeLessThanOrEqual(most);
    for (const name of answer()) await cards().filter({ hasText: name }).first().waitFor();
    if (most === 0)
      expect(await tile("").first().textContent()).toMatch(/^acme-\w+\.example\d+ resources?, worst finding critical/);
  });
});

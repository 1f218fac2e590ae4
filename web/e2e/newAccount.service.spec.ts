import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { launch, openPage } from "./browser.ts";
import { hasCloud, startCloud } from "./fixtures/cloud.ts";
import { hasService, startService } from "./fixtures/service.ts";
import { some } from "./fixtures/some.ts";
import { HANDS, type Hand, press, tabTo } from "./fixtures/tabbing.ts";

/* From a token to the first assessment in two pages, with a token that is wrong, one that reads little and one that reads all. */
const GOOD = "good-token-0123456789";
const NARROW = "narrow-token-0123456789";
const DENIED = ["Zone: DNS Read", "Account: Access: Apps and Policies Read"];

describe.skipIf(!(hasService && hasCloud) && !process.env.CI)("a new account", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  async function start() {
    const cloud = await startCloud({
      Seed: 5,
      Accounts: [
        { ID: "0123456789abcdef0123456789abcdef", Name: "Contoso", Zones: 6, Plant: 0.3, Plans: ["pro", "free"] },
      ],
      Tokens: [{ Secret: GOOD }, { Secret: NARROW, Denied: DENIED }],
    });
    onTestFinished(cloud.stop);
    const { CLOUDFLARE_API_TOKEN: _, ...env } = cloud.env;
    const service = await startService(env);
    onTestFinished(service.stop);
    const { page, complaints, close } = await openPage(browser, service.url, { reducedMotion: "reduce" });
    onTestFinished(async () => {
      await close();
      // The refusal of a bad token is one of the answers.
      expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
    });
    return { page, cloud };
  }
  const type = async (page: Page, label: string, text: string, hand: Hand) => {
    const field = page.getByLabel(label, { exact: true });
    if (hand === "mouse") await field.click();
    else await tabTo(field);
    await page.keyboard.type(text);
  };
  const register = async (page: Page, token: string, hand: Hand) => {
    await type(page, "Name", "Contoso", hand);
    await type(page, "API token", token, hand);
    await press(page.getByRole("button", { name: "Register the account" }), hand);
  };

  it.each(some(2, HANDS))(
    "is refused with a reason, and what was typed stays, when the token is wrong, by %s",
    async (hand) => {
      const { page } = await start();
      await page.goto("/");
      await press(page.getByRole("link", { name: "Add an account" }).first(), hand);
      const form = page.getByRole("link", { name: "A token of your own" });
      expect(await form.getAttribute("href")).toMatch(/^https:\/\/dash\.cloudflare\.com\/profile\/api-tokens\?/);
      await register(page, "not-a-token-0123456789", hand);
      await page.getByText(/Cloudflare refuses the token/).waitFor();
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Contoso");
    },
  );

  it.each(
    some(
      3,
      HANDS.flatMap((hand): [string, Hand, string, string][] => [
        ["narrow", hand, NARROW, "2 permissions missing."],
        ["good", hand, GOOD, "Nothing is missing"],
      ]),
    ),
  )("is assessed with a %s token by %s, and shows what it finds meanwhile", async (_, hand, token, verdict) => {
    const { page, cloud } = await start();
    await page.goto("/accounts/new");
    await register(page, token, hand);
    await page.getByText(verdict).waitFor({ timeout: 30_000 });
    await press(page.getByRole("link", { name: "Run it from the overview" }), hand);
    const zones = (await cloud.call("GET", "/zones", undefined, GOOD)).result as { id: string }[];
    cloud.hold(`/zones/${zones[5]?.id}`);
    await press(page.getByRole("button", { name: "Run assessment" }), hand);
    await page.getByText(/ends at about|about to end/).waitFor({ timeout: 30_000 });
    await page.getByRole("region", { name: "Found so far" }).getByText("of 6 zones").waitFor({ timeout: 40_000 });
    await page.getByRole("region", { name: "The first assessment is running" }).waitFor();
    expect(await page.getByText("No assessment yet").count()).toBe(0);
    cloud.release();
    await page.getByText("What to do first").waitFor({ timeout: 60_000 });
  });
});

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launch, openPage, type Watched } from "./browser.ts";
import { hasService, type Service, startService } from "./fixtures/service.ts";

let browser: Browser;
let service: Service;
let watched: Watched;

// Without the binary these tests are left out on a developer's machine; on CI that is an error.
describe.skipIf(!hasService && !process.env.CI)("the real service with the demo account", () => {
  beforeAll(async () => {
    browser = await launch();
    service = await startService();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    watched = await openPage(browser, service.url);
  });
  afterEach(async () => {
    await watched.close();
    // Violations of the policy, script errors and requests to elsewhere.
    expect(watched.complaints).toEqual([]);
  });

  const openAccount = () => watched.page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();

  it("shows the first assessment by itself", async () => {
    await watched.page.goto("/");
    await watched.page.getByText("This is a built-in demo account:").waitFor();
    await openAccount();
    await watched.page.getByText("of 100", { exact: true }).waitFor();
    await watched.page.getByText("What to do first").waitFor();
    await watched.page.getByText("Healthy").waitFor();
  });

  it("browses the API offline, with a control for the key", async () => {
    await watched.page.goto("/api-docs");
    await watched.page.getByRole("button", { name: "Authorize", exact: true }).click();
    await watched.page.getByText("X-API-Key").first().waitFor();
    await watched.page.getByRole("button", { name: "Close", exact: true }).first().click();
    await watched.page.getByText("/api/assess", { exact: true }).first().waitFor();
  });

  it("runs again, ends without a reload, and lists both", async () => {
    await watched.page.goto("/");
    await openAccount();
    await watched.page.getByText("What to do first").waitFor();
    await watched.page.getByText("Options").click();
    await watched.page.getByLabel("Note").fill("second <i>run</i>");
    await watched.page.getByRole("button", { name: "Run assessment" }).click();
    await watched.page.getByText("The run has finished").waitFor({ timeout: 45_000 });
    await watched.page.getByText("Note: second <i>run</i>").waitFor();
    await watched.page.getByRole("link", { name: "Assessments", exact: true }).click();
    await watched.page.getByRole("heading", { level: 1, name: "Assessments" }).waitFor();
    await watched.page.getByRole("cell", { name: "second <i>run</i>" }).waitFor();
    expect(await watched.page.getByRole("row").count()).toBeGreaterThanOrEqual(3);
  });

  it("goes from the first screen to a plan of the worst risk in two clicks", async () => {
    const { page } = watched;
    await page.goto("/");
    await openAccount();
    const fix = page.getByRole("link", { name: /^Fix: / }).first();
    const what = (await fix.getAttribute("aria-label"))?.replace("Fix: ", "").replace(/, and \d+ more$/, "") ?? "";
    await fix.click();
    const changes = page.getByRole("list", { name: "Changes" });
    await changes.getByText(what).first().waitFor();
    expect(new URL(page.url()).searchParams.has("plan")).toBe(true);
  });

  it("does the same by the keys alone", async () => {
    const { page } = watched;
    await page.goto("/");
    await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().focus();
    await page.keyboard.press("Enter");
    await page
      .getByRole("link", { name: /^Fix: / })
      .first()
      .focus();
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Changes" }).getByRole("listitem").first().waitFor();
  });

  it("plans what breaks an attack path, and nothing else", async () => {
    const { page } = watched;
    await page.goto("/assessments/latest");
    await page.getByRole("link", { name: "Attack paths" }).click();
    const able = page
      .getByRole("table", { name: "Attack paths" })
      .getByRole("row")
      .filter({ hasText: "plan to review" });
    await able.first().getByRole("link").first().click();
    const behind = page.getByRole("region", { name: "Findings behind it" }).getByRole("listitem");
    await behind.first().waitFor();
    const found = await behind.count();
    await page.getByRole("link", { name: "Fix", exact: true }).click();
    const changes = page.getByRole("list", { name: "Changes" }).locator(":scope > li");
    await changes.first().waitFor();
    expect(await changes.count()).toBeLessThanOrEqual(found);
  });

  it("finds, filters and opens findings", async () => {
    await watched.page.goto("/assessments/latest?severity=critical");
    const grid = watched.page.getByRole("grid", { name: "Findings" });
    await grid.getByText("Critical", { exact: true }).first().waitFor();
    await grid.getByText("High", { exact: true }).first().waitFor({ state: "detached" });
    await grid.focus();
    await watched.page.keyboard.press("Enter");
    const drawer = watched.page.getByRole("dialog");
    await drawer.getByText("Why it matters").waitFor();
    await drawer.getByText("Observed").first().waitFor();
    const title = await drawer.getByRole("heading", { level: 2 }).textContent();
    await watched.page.reload();
    await drawer.getByRole("heading", { name: title ?? "" }).waitFor();
    await watched.page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
  });

  it("shows all results and refuses nothing in between", async () => {
    await watched.page.goto("/assessments/latest?result=all");
    await watched.page.getByRole("grid").waitFor();
    const total = await watched.page.evaluate(async () => {
      const { assessments } = await (await fetch("/api/assessments?limit=1")).json();
      const at = `/api/assessments/${assessments[0].id}/findings?result=all&limit=1`;
      const { counts } = (await (await fetch(at)).json()) as { counts: Record<string, number> };
      return Object.values(counts).reduce((a, b) => a + b, 0);
    });
    await watched.page
      .getByText(`${total.toLocaleString("en-US")} findings`)
      .first()
      .waitFor();
  });

  it("says why a run is refused", async () => {
    await watched.page.goto("/");
    await openAccount();
    await watched.page.getByText("Options").click();
    await watched.page.getByLabel("Zones").fill("no-such-zone-[");
    await watched.page.getByRole("button", { name: "Run assessment" }).click();
    await watched.page.getByRole("alert").or(watched.page.getByRole("article")).first().waitFor();
  });
});

describe.skipIf(!hasService && !process.env.CI)("the real service with a key", () => {
  it("asks for the key and goes on with it", async () => {
    const guarded = await startService({ SERVICE_API_KEY: "a-long-enough-key-for-tests-0123456789" });
    const chromium = await launch();
    try {
      const { page, complaints } = await openPage(chromium, guarded.url);
      await page.goto("/");
      const dialog = page.getByRole("dialog", { name: "Sign in" });
      await dialog.getByLabel("API key").fill("a-long-enough-key-for-tests-0123456789");
      await page.keyboard.press("Enter");
      await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
      await page.getByText("What to do first").waitFor();
      await page.getByRole("button", { name: "Run assessment" }).click();
      await page.getByText("The run has finished").waitFor({ timeout: 45_000 });
      expect(complaints).toEqual([]);
    } finally {
      await chromium.close();
      await guarded.stop();
    }
  });
});

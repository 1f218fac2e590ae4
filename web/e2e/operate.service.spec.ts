import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, openPage } from "./browser.ts";
import { hasService, type Service, startService } from "./fixtures/service.ts";

const SCOPE = "kV7q-Zr2xW9tM4bH8nS3jC6pD1lF5gQ-edit";

let browser: Browser;
let service: Service;

// Without the binary these tests are left out on a developer's machine; on CI that is an error.
describe.skipIf(!hasService && !process.env.CI)("operating the real service with the demo account", () => {
  beforeAll(async () => {
    browser = await launch();
    service = await startService({ SERVICE_ALLOW_REMEDIATION: "true", SERVICE_EDIT_SCOPE: SCOPE });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it("plans, is admitted, and tells what the provider did not take", async () => {
    const { page, complaints, close } = await openPage(browser, service.url);
    await page.goto("/");
    await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
    await page.getByText("What to do first").waitFor({ timeout: 45_000 });
    await page.getByRole("link", { name: "Remediation" }).click();
    await page.getByText("A plan changes nothing.").waitFor();
    await page.goto(`${page.url()}?check=CFL-ZONE-001`);
    await page.getByText("of 1 check chosen").waitFor();
    await page.getByRole("button", { name: "Make a plan" }).click();
    await page.getByRole("button", { name: /^Authorise [1-9]/ }).click();
    const account = (await page.getByRole("heading", { name: /^Change / }).textContent())?.replace("Change ", "") ?? "";
    const allow = async () => {
      await page.getByLabel("Edit scope").fill(SCOPE);
      await page.getByLabel("Type the name of the account").fill(account);
    };
    await allow();
    await page.getByRole("button", { name: /^Apply [1-9]/ }).click();
    // The simulated account takes no writes: what counts is that each change says so, and that nothing is in force.
    await page.getByText(/^0 of [1-9]\d* changes? applied\.$/).waitFor({ timeout: 30_000 });
    await page.getByRole("table", { name: "Result of each change" }).getByText("failed").first().waitFor();
    await page.getByRole("link", { name: "Show it" }).click();
    await page.getByText("Nothing of it is in force any more.").waitFor({ timeout: 30_000 });
    await close();
    expect(complaints).toEqual([]);
  });

  it("checks permissions, schedules a run, saves a setting, and shows all of it", async () => {
    const { page, complaints, close } = await openPage(browser, service.url);
    await page.goto("/schedules?edit=new");
    await page.getByLabel("Times (cron)").fill("not a cron");
    await page.getByRole("button", { name: "Save the schedule" }).click();
    await page.getByRole("alert").filter({ hasText: /cron/i }).first().waitFor();
    await page.getByLabel("Times (cron)").fill("0 6 * * mon-fri");
    await page.getByRole("button", { name: "Save the schedule" }).click();
    await page.getByRole("heading", { name: /0 6 \* \* mon-fri/ }).waitFor();
    await page.goto("/settings");
    await page.getByLabel("Notify from severity").selectOption("high");
    await page.getByRole("button", { name: "Save 1 change" }).click();
    await page.getByText("Saved.").waitFor();
    await page.goto("/siem");
    await page.getByLabel("Target").selectOption("file");
    await page.getByRole("button", { name: "Dry run: show the payload" }).click();
    await page.getByText(/^Nothing was sent\. [1-9]/).waitFor();
    await page.goto("/audit");
    await page.getByRole("button", { name: "Verify the chain" }).click();
    await page.getByText("The chain holds.").waitFor();
    await page.goto("/jobs");
    await page.getByRole("table").getByRole("link", { name: "Ship" }).click();
    await page.getByText("What happened").waitFor();
    await page.goto("/");
    await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Account settings" }).click();
    await page.getByRole("button", { name: "Check the permissions" }).click();
    await page.getByText("Nothing is missing").waitFor();
    await page.getByRole("link", { name: "Reports" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Fetch Evidence bundle" }).click();
    expect((await download).suggestedFilename()).toMatch(/-evidence\.zip$/);
    await close();
    expect(complaints).toEqual([]);
  });
});

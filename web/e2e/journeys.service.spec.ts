import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Account, Assessment, AssessmentSummary, Finding, FindingsPage } from "../src/api/types";
import { launch, openPage } from "./browser.ts";
import { ask, type CloudOptions, hasCloud, startCloud } from "./fixtures/cloud.ts";
import { startIssuer } from "./fixtures/editScope.ts";
import { hasService, type Service, startService } from "./fixtures/service.ts";

/*
 * What people come to do, from the first page to the last, on the real service and a
 * simulated provider. No page may break the policy, fail in a script or ask anybody else.
 */
const KEY = "a-long-enough-key-for-tests-0123456789";
const WRITING = "edgeposture-demo-write";
const SSL = "CFL-SSL-001";

let browser: Browser;

/** A service that is stopped with the test, in front of a provider of its own when one is described. */
async function start(env: Record<string, string>, options?: CloudOptions) {
  const cloud = options && (await startCloud(options));
  if (cloud) onTestFinished(cloud.stop);
  const service = await startService({ ...cloud?.env, ...env });
  onTestFinished(service.stop);
  return { service, cloud };
}

async function open(service: Service): Promise<Page> {
  const { page, complaints, close } = await openPage(browser, service.url);
  onTestFinished(async () => {
    await close();
    expect(complaints).toEqual([]);
  });
  return page;
}

const menu = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
const tab = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Views of this page" }).getByRole("link", { name, exact: true }).click();
const findings = async (page: Page) => {
  await menu(page, "Issues");
  await tab(page, "Findings");
};
const firstAccount = (page: Page) => page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
const runHere = async (page: Page) => {
  await page.getByRole("button", { name: "Run assessment" }).click();
  await page.getByText("The run has finished").waitFor({ timeout: 45_000 });
};

/** Accepts the risk of one finding on its own page, until the day the form proposes. */
async function acceptRisk(page: Page, finding: Finding): Promise<void> {
  await page.goto(`${new URL(page.url()).pathname}/${finding.id}`);
  await page.getByRole("button", { name: "Accept…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^Hides 1 finding/).waitFor();
  await dialog.getByLabel("Reason").fill("The origin is replaced next month.");
  await dialog.getByLabel("Owner").fill("Ada");
  await dialog.getByRole("button", { name: "Accept 1 finding" }).click();
  await page.getByText("Accepted by Ada, until").waitFor();
}

/** The resources a new look at the account finds open for a check. */
async function openFor(service: Service, checkId: string): Promise<string[]> {
  const { id } = await ask<Assessment>(service, "POST", "/api/assess", { checks: [checkId], note: "another look" });
  const page = await ask<FindingsPage>(service, "GET", `/api/assessments/${id}/findings?result=FAIL,WARNING&limit=100`);
  return page.items.map(({ resource }) => resource.id).sort();
}

// Without the binaries these tests are left out on a developer's machine; on CI that is an error.
describe.skipIf(!(hasService && hasCloud) && !process.env.CI)("journeys", () => {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("goes from an empty service to what changed between two runs", async () => {
    const plants = [{ CheckID: SSL, Variant: "flexible", Zones: [0, 1] }];
    const { service, cloud } = await start(
      {},
      {
        Seed: 11,
        Accounts: [{ Zones: 3, Plans: ["pro"], Plants: plants }],
        Tokens: [{ Secret: "journey-token-0123456789", CanWrite: true }],
      },
    );
    const page = await open(service);
    await page.goto("/");
    await firstAccount(page);
    await page.getByText("No assessment yet").waitFor();
    await runHere(page);
    await page.getByText("What to do first").waitFor();
    await findings(page);
    const grid = page.getByRole("grid", { name: "Findings" });
    await grid.getByText("Critical", { exact: true }).first().waitFor();

    const first = (await ask<{ assessments: AssessmentSummary[] }>(service, "GET", "/api/assessments")).assessments[0];
    const found = await ask<FindingsPage>(
      service,
      "GET",
      `/api/assessments/${first?.id}/findings?check=${SSL}&result=FAIL`,
    );
    const [accepted, mended] = found.items;
    if (!accepted || !mended) throw new Error("two zones were planted");
    await acceptRisk(page, accepted);
    await cloud?.call("PATCH", `/zones/${mended.resource.id}/settings/ssl`, { value: "strict" });

    await menu(page, "Overview");
    await runHere(page);
    await menu(page, "Changes");
    const fixed = page.getByRole("region", { name: /^Resolved/ });
    await fixed.getByText(mended.resource.name, { exact: true }).first().waitFor();
    expect(await fixed.getByText(accepted.resource.name, { exact: true }).count()).toBe(0);
    await findings(page);
    await page.goto(`${new URL(page.url()).pathname}?finding=${accepted.id}`);
    await page.getByRole("dialog").getByText("accepted risk").waitFor();
  });

  it("saves settings and never shows a secret again", async () => {
    const { service } = await start({});
    const secret = "a-collector-token-nobody-reads-again-7731";
    const page = await open(service);
    await page.goto("/settings");
    const collector = page.getByRole("region", { name: "Splunk" });
    await collector.getByLabel("Address").fill("https://collector.example:8088");
    await collector.getByLabel("Token", { exact: true }).fill(secret);
    await page.getByRole("button", { name: "Save 2 changes" }).click();
    await page.getByText("Saved.").waitFor();
    const masked = async () => {
      await collector.getByText(`••••${secret.slice(-4)}`).waitFor();
      await collector.getByText("https://collector.example:8088").waitFor();
      expect(await collector.getByLabel("Token", { exact: true }).inputValue()).toBe("");
      expect(await page.content()).not.toContain(secret);
      expect(JSON.stringify(await ask(service, "GET", "/api/settings"))).not.toContain(secret);
    };
    await masked();
    await page.reload();
    await masked();
  });

  it("gives the licence of all it is made of", async () => {
    const { service } = await start({});
    const page = await open(service);
    for (const [name, part] of [
      ["the service", "github.com/hibiken/asynq v"],
      ["the dashboard", "react-dom - "],
    ] as const) {
      await page.goto("/about");
      await page.getByRole("link", { name }).click();
      await page.getByText(part).first().waitFor();
    }
  });

  it("plans, applies and rolls back with a signed edit scope", async () => {
    const issuer = await startIssuer();
    onTestFinished(issuer.stop);
    const { service } = await start({ SERVICE_ALLOW_REMEDIATION: "true", ...issuer.env });
    const page = await open(service);
    await page.goto("/");
    await firstAccount(page);
    await page.getByText("What to do first").waitFor({ timeout: 45_000 });
    await menu(page, "Remediation");
    await page.goto(`${page.url()}?check=${SSL}`);
    await page.getByText("of 1 check chosen").waitFor();
    const before = await openFor(service, SSL);
    expect(before.length).toBeGreaterThan(1);
    await page.getByRole("button", { name: "Make a plan" }).click();
    await page.getByRole("button", { name: /^Authorise [1-9]/ }).click();
    const account = (await page.getByRole("heading", { name: /^Change / }).textContent())?.replace("Change ", "") ?? "";
    const authorise = async (token: string) => {
      await page.getByLabel("Edit scope").fill(token);
      await page.getByLabel("Provider token that may write").fill(WRITING);
      await page.getByLabel("Type the name of the account").fill(account);
    };
    const apply = page.getByRole("button", { name: /^Apply [1-9]/ });
    await page.getByLabel(/^Also make/).check();
    await authorise(issuer.token({ iss: "https://elsewhere.example" }));
    await apply.click();
    await page.getByText("Nothing was changed.").waitFor();
    expect(await openFor(service, SSL)).toEqual(before);

    await authorise(issuer.token());
    await apply.click();
    // A mode that a rule lowers is right in the setting, so not every change is one of it.
    const applied = page.getByText(/^[1-9]\d* of \d+ changes? applied\./);
    await applied.waitFor({ timeout: 45_000 });
    const changed = Number.parseInt((await applied.textContent()) ?? "", 10);
    expect(changed).toBeGreaterThan(0);
    expect(await openFor(service, SSL)).toHaveLength(before.length - changed);

    await page.getByRole("link", { name: "Show it or roll it back" }).click();
    await authorise(issuer.token());
    await page.getByRole("button", { name: `Roll back ${account}` }).click();
    await page.getByText("Nothing of it is in force any more.").waitFor({ timeout: 45_000 });
    expect(await openFor(service, SSL)).toEqual(before);
  });

  it("asks for the key, sends the same request again, and shows which variable switches changes on", async () => {
    const issuer = await startIssuer();
    onTestFinished(issuer.stop);
    const { service } = await start({ SERVICE_API_KEY: KEY, ...issuer.env });
    const page = await open(service);
    const asked: { url: string; key: string | undefined }[] = [];
    page.on("request", (request) => asked.push({ url: request.url(), key: request.headers()["x-api-key"] }));
    await page.goto("/jobs?state=failed");
    const dialog = page.getByRole("dialog", { name: "Sign in" });
    await dialog.getByLabel("API key").fill("not-the-key-0123456789");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByText("The service refused that key.").waitFor();
    const refused = asked.filter(({ url, key }) => url.includes("/api/jobs") && key === undefined).at(0)?.url;
    expect(refused).toBeDefined();
    await dialog.getByLabel("API key").fill(KEY);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => asked.filter(({ url }) => url === refused).length).toBeGreaterThan(1);
    const withKey = asked.filter(({ key }) => key !== undefined).map(({ url }) => new URL(url).pathname);
    expect(new Set(withKey)).toEqual(new Set(["/api/session"]));
    expect(new URL(page.url()).search).toBe("?state=failed");
    expect(asked.filter(({ url }) => url.includes(KEY))).toEqual([]);
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(kept).not.toContain(KEY);

    // The switch is off: a plan can be made and read, and a right scope changes nothing.
    await page.getByRole("link", { name: "Edgeposture", exact: true }).click();
    await firstAccount(page);
    await page.getByText("What to do first").waitFor({ timeout: 45_000 });
    await menu(page, "Remediation");
    await page.getByText("SERVICE_ALLOW_REMEDIATION=true").waitFor();
    const group = page.getByRole("checkbox").first();
    await group.check();
    await page.getByRole("button", { name: "Make a plan" }).click();
    const authorise = page.getByRole("button", { name: /^Authorise/ });
    await authorise.waitFor();
    expect(await authorise.isDisabled()).toBe(true);
    const { assessments } = await ask<{ assessments: AssessmentSummary[] }>(
      service,
      "GET",
      "/api/assessments",
      undefined,
      KEY,
    );
    const forced = { assessmentId: assessments[0]?.id, checkIds: [SSL], token: issuer.token(), apiToken: WRITING };
    await expect(ask(service, "POST", "/api/remediate/apply", forced, KEY)).rejects.toThrow(/403.*SERVICE_ALLOW_REM/s);
  });

  it("runs two accounts at once, of which one is cancelled and one finishes", async () => {
    const [one, two] = ["1".repeat(32), "2".repeat(32)];
    const { service, cloud } = await start(
      {},
      {
        Seed: 5,
        Accounts: [one, two].map((ID) => ({ ID, Zones: 8, Clean: true, Plans: ["pro"] })),
        Tokens: [one, two].map((id) => ({ Secret: `token-of-${id}`, User: id, Accounts: [id] })),
      },
    );
    if (!cloud) throw new Error("no provider was started");
    await ask<Account>(service, "POST", "/api/accounts", { name: "second", token: cloud.tokens[1], accountId: two });
    // Neither run gets past its last zone before the page has shown both.
    const zones = await Promise.all(cloud.tokens.map((token) => cloud.call("GET", "/zones", undefined, token)));
    cloud.hold(...zones.map(({ result }) => (result as { id: string }[]).at(-1)?.id ?? ""));
    const page = await open(service);
    await page.goto("/");
    await page.getByLabel("Choose every account").check();
    await page.getByRole("button", { name: "Assess 2 accounts" }).click();
    await page.getByText("2 runs at work").click();
    const bars = ["default", "second"].map((name) => page.getByRole("progressbar", { name: `Run of ${name}` }));
    for (const bar of bars) await expect.poll(async () => Number(await bar.getAttribute("value"))).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Cancel the run of second" }).click();
    await page.getByText("1 run at work").waitFor();
    cloud.release();
    await page.getByText("1 run at work").waitFor({ state: "detached", timeout: 45_000 });
    const { items } = await ask<{ items: { state: string }[] }>(service, "GET", "/api/jobs");
    expect(items.map(({ state }) => state).sort()).toEqual(["cancelled", "succeeded"]);
  });
});

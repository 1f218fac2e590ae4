import { createHash } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Person, Session } from "../src/api/types";
import { launch, openPage } from "./browser.ts";
import { ask } from "./fixtures/cloud.ts";
import { hasService, type Service, startService } from "./fixtures/service.ts";

const KEY = "a-long-enough-key-for-tests-0123456789";

/** A browser of its own on the service, as somebody opens it. */
async function open(browser: Browser, url: string): Promise<Page> {
  const { page, complaints, close } = await openPage(browser, url);
  onTestFinished(async () => {
    await close();
    // Over plain http the browser notes which headers mean nothing there.
    expect(complaints.filter((text) => !text.startsWith("The Cross-Origin-Opener-Policy header"))).toEqual([]);
  });
  return page;
}

const prompt = (page: Page) => page.getByRole("dialog", { name: "Sign in" });

async function signIn(page: Page): Promise<void> {
  await prompt(page).waitFor();
  const others = prompt(page).getByText("Use the API key"); // once somebody has a password
  if (await others.count()) await others.click();
  await prompt(page).getByLabel("API key").fill(KEY);
  await page.keyboard.press("Enter");
  await prompt(page).waitFor({ state: "detached" });
}

/** What scripts of the page can read of what the browser keeps. */
const kept = (page: Page) =>
  page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage), document.cookie]);

const sessions = async (service: Service) =>
  (await ask<{ items: Session[] }>(service, "GET", "/api/sessions", undefined, KEY)).items;

// Without the binary these tests are left out on a developer's machine; on CI that is an error.
describe.skipIf(!hasService && !process.env.CI)("sessions of the real service", () => {
  let browser: Browser;
  let service: Service;
  beforeAll(async () => {
    browser = await launch();
    service = await startService({ SERVICE_API_KEY: KEY });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it("last over a reload, leave nothing a script can read, and end by signing out", async () => {
    const page = await open(browser, service.url);
    await page.goto("/settings");
    await signIn(page);
    const own = page.getByRole("row").filter({ hasText: "this browser" });
    await own.waitFor();
    expect(await kept(page)).toEqual([[], [], ""]);
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([
      { name: "__Host-edgeposture", httpOnly: true, secure: true, sameSite: "Lax", path: "/", domain: "127.0.0.1" },
    ]);
    await page.reload();
    await own.waitFor();
    expect(await prompt(page).count()).toBe(0);
    // What a header cannot be sent with: a page of its own, and events.
    await page.goto("/");
    await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
    await page.getByText("What to do first").waitFor({ timeout: 45_000 });
    await page.getByRole("button", { name: "Run assessment" }).click();
    await page.getByText("The run has finished").waitFor({ timeout: 45_000 });
    const report = await page.goto("/report");
    expect(report?.status()).toBe(200);

    await page.goto("/settings");
    await page.getByRole("button", { name: "Sign out" }).click();
    await prompt(page).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(await own.count()).toBe(0);
    expect(await sessions(service)).toEqual([]);
  });

  it("are revoked by somebody else, and asked for again", async () => {
    const [page, other] = [await open(browser, service.url), await open(browser, service.url)];
    for (const each of [page, other]) {
      await each.goto("/settings");
      await signIn(each);
    }
    expect(await sessions(service)).toHaveLength(2);
    await other.reload();
    await other.getByRole("button", { name: "Revoke the session of 127.0.0.1" }).click();
    await expect.poll(() => sessions(service)).toHaveLength(1);
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await signIn(page);
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    expect(await prompt(other).count()).toBe(0);
  });

  it("begin with an invitation, and let a command line in", async () => {
    const person = { name: "Grace <i>", email: "grace@example.com", grants: [{ role: "viewer" }] };
    const { invitation } = await ask<Person>(service, "POST", "/api/users", person, KEY);
    const page = await open(browser, service.url);
    await page.goto(String(invitation));
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
    await page.getByLabel("The same password again").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByText("The two passwords differ.").waitFor();
    await page.getByLabel("The same password again").fill("correct horse battery staple");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Grace <i>, viewer" }).waitFor();
    await page.goto(`/welcome?again=1${String(invitation).replace("/welcome", "")}`);
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
    await page.getByLabel("The same password again").fill("correct horse battery staple");
    await page.keyboard.press("Enter");
    await page.getByText("The invitation is no longer good").waitFor();

    const secret = `epc_${"x".repeat(43)}`;
    const hash = createHash("sha256").update(secret).digest("base64url");
    await page.goto(`/command-line#hash=${hash}&name=laptop`);
    await page.getByText(`${hash.slice(0, 4)} ${hash.slice(4, 8)}`).waitFor();
    await page.getByRole("button", { name: "Let it in" }).press("Enter");
    await page.getByText("The command line is signed in").waitFor();
    expect(page.url()).not.toContain(hash);
    const answer = await fetch(`${service.url}/api/session`, { headers: { Authorization: `Bearer ${secret}` } });
    expect(await answer.json()).toMatchObject({ kind: "user", actor: "user:grace@example.com", role: "viewer" });
    await page.goto("/command-line");
    await page.getByText("This link is incomplete").waitFor();
  });

  it("are of people whom the page of access lets in, with what their roles include", async () => {
    const page = await open(browser, service.url);
    await page.goto("/access");
    await signIn(page);
    await page.getByRole("button", { name: "Add a person" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a person" });
    await dialog.getByLabel("Name").fill("Ada <b>");
    await dialog.getByLabel("Email address").fill("ada@example.com");
    await dialog.getByLabel("Password").fill("short-and-no");
    await dialog.getByLabel("Accounts", { exact: true }).selectOption("some");
    await dialog
      .getByRole("group", { name: /^Chosen accounts/ })
      .getByRole("checkbox")
      .check();
    await dialog.getByLabel("Password").fill("correct horse battery staple");
    await page.keyboard.press("Enter");
    const people = page.getByRole("table", { name: "People" });
    await people.getByText("ada@example.com").waitFor();
    await people
      .getByRole("row")
      .filter({ hasText: "ada@example.com" })
      .getByText(/^viewer for /)
      .waitFor();
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("ci");
    await page.keyboard.press("Enter");
    const token = await page.getByText(/^eps_/).textContent();
    const answer = await fetch(`${service.url}/api/session`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await answer.json()).toMatchObject({ kind: "service", name: "ci", role: "viewer" });
    await page.getByRole("button", { name: /administrator$/ }).click();
    await page.getByRole("button", { name: "Sign out" }).click();

    await prompt(page).getByLabel("Email address").fill("ADA@example.com");
    await prompt(page).getByLabel("Password").fill("wrong");
    await page.keyboard.press("Enter");
    await prompt(page).getByText("The email address or the password is wrong").waitFor();
    await prompt(page).getByLabel("Password").fill("correct horse battery staple");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Ada <b>, viewer" }).waitFor();
    await page.getByText("This needs the role administrator, and yours is viewer").first().waitFor();
    await page.goto("/");
    await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
    await page.getByText("What to do first").waitFor({ timeout: 45_000 });
    await page.getByRole("button", { name: "Ada <b>, viewer" }).waitFor();
    expect(await page.getByRole("button", { name: "Run assessment" }).count()).toBe(0);
  });

  it("serve every tab of a browser", async () => {
    const first = await open(browser, service.url);
    await first.goto("/jobs");
    await signIn(first);
    const second = await first.context().newPage();
    await second.goto("/jobs");
    await second.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    await second.getByText("Healthy").waitFor();
    expect(await prompt(second).count()).toBe(0);
  });

  it("let every tab in that asks who is there, when one is signed in", async () => {
    const first = await open(browser, service.url);
    const second = await first.context().newPage();
    for (const page of [first, second]) {
      await page.goto("/jobs");
      await prompt(page).waitFor();
    }
    await signIn(first);
    await prompt(second).waitFor({ state: "detached" });
    await second.getByText("Healthy").waitFor();
  });
});

describe.skipIf(!hasService && !process.env.CI)("the real service over plain http from elsewhere", () => {
  it("works with the key in memory, and says so", async () => {
    const elsewhere = "posture.test";
    const browser = await launch(`--host-resolver-rules=MAP ${elsewhere} 127.0.0.1`);
    onTestFinished(() => browser.close());
    const service = await startService({ SERVICE_API_KEY: KEY, HOST: "0.0.0.0" });
    onTestFinished(service.stop);
    const page = await open(browser, service.url.replace("127.0.0.1", elsewhere));
    await page.goto("/settings");
    await prompt(page).getByText("Browsers stay signed in over https only").waitFor();
    await signIn(page);
    await page.getByText("This browser keeps no session here").waitFor();
    await page.getByText("Nobody is signed in with a browser.").waitFor();
    expect(await kept(page)).toEqual([[], [], ""]);
    expect(await page.context().cookies()).toEqual([]);
    await page.getByRole("link", { name: "Edgeposture", exact: true }).click();
    await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
    await page.getByText("What to do first").waitFor({ timeout: 45_000 });
    await page.getByRole("button", { name: "Run assessment" }).click();
    // The first run of the service may end just now, and is told beside it.
    await page.getByText("The run has finished").first().waitFor({ timeout: 45_000 });
    await page.reload();
    await prompt(page).waitFor();
  });
});

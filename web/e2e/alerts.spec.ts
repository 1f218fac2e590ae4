import { describe, expect, it } from "vitest";
import { account, assessment, identity, person, problem, uuid } from "./fixtures/account.ts";
import { alertRule, fillInbox, keepAlerts } from "./fixtures/alerts.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.accounts = [account(), account({ id: uuid(901), name: "contoso", providerId: "acc2", default: false })];
  mock.assessments = [assessment({ number: 1 })];
});

const button = (name: string | RegExp) => watched.page.getByRole("button", { name, exact: true });
const field = (name: string) => watched.page.getByLabel(name, { exact: true });
const said = (text: string | RegExp) => watched.page.getByText(text).first().waitFor();
const dialog = () => watched.page.getByRole("dialog");
const all = (call: string) => mock.log.filter((line) => line.startsWith(call));
const sent = (call: string) => {
  const line = all(call).at(-1) ?? "";
  return JSON.parse(line.slice(line.indexOf("{")));
};

describe("alert rules", () => {
  it("are made, and say what is wrong at its field", async () => {
    const { page } = watched;
    keepAlerts(mock, []);
    await page.goto("/notifications");
    await page.getByRole("link", { name: "Add the first one" }).click();
    await field("Name").fill("On call");
    await field("Severity").selectOption("Critical");
    await field("Owners").fill("Web team, none");
    await field("Accepted until now: an exception expired").uncheck();
    await field("Overdue").uncheck();
    await field("contoso").check();
    await field("Channel").selectOption("Webhook");
    await field("Address").selectOption("One of its own");
    await field("Own address").fill("https://hooks.example/alerts");
    await field("When").selectOption("In one message a day");
    await field("Time of the day").fill("09:15");
    await field("Time zone").selectOption("Europe/Berlin");
    await page.getByLabel("Quiet hours").check();
    await field("All of Saturday and Sunday too").check();
    const errors = [
      { location: "body.name", message: "is taken" },
      { location: "body.owners[0]", message: "has a comma" },
      { location: "body.webhookSecret", message: "Webhook has no secret to sign with" },
      { location: "body.quiet.to", message: "is the same as from" },
    ];
    mock.failing.set("/api/alert-rules", problem(422, { errors }));
    await button("Save the alert rule").click();
    await said("is taken");
    for (const [name, message] of [
      ["Name", "is taken"],
      ["Owners", "has a comma"],
      ["Secret", "Webhook has no secret to sign with"],
      ["Quiet until", "is the same as from"],
    ] as const) {
      const ids = (await field(name).getAttribute("aria-describedby")) ?? "";
      expect(await page.locator(`[id="${ids.split(" ")[1]}"]`).textContent()).toBe(message);
    }
    expect(await page.getByRole("alert", { name: "The alert rule was not saved." }).count()).toBe(0);
    mock.failing.clear();
    await field("Secret").fill("whsec_c2VjcmV0");
    await button("Save the alert rule").click();
    await said(
      "Critical, new or more severe, in contoso, owned by Web team or nobody → Webhook at an address of its own, daily at 09:15; quiet 20:00–07:00 and at weekends, Europe/Berlin",
    );
    expect(sent("POST /api/alert-rules")).toEqual({
      name: "On call",
      events: ["opened", "worse"],
      severity: "critical",
      accounts: ["acc2"],
      owners: ["Web team", "none"],
      channel: "webhook",
      daily: "09:15",
      quiet: { from: "20:00", to: "07:00", weekends: true },
      timeZone: "Europe/Berlin",
      url: "https://hooks.example/alerts",
      secret: "whsec_c2VjcmV0",
    });
    expect(new URL(page.url()).search).toBe("");
  });

  it("are tested, paused, changed with the address they have, and deleted", async () => {
    const { page } = watched;
    keepAlerts(mock, [alertRule({ problem: "Slack answered 404: no_service." })]);
    await page.goto("/notifications");
    await said("no_service");
    await button("Test On call").click();
    await said("The test message was sent. It tells of 35 issues.");
    await button("Pause On call").click();
    await button("Resume On call").waitFor();
    await page.getByText("paused", { exact: true }).waitFor();
    expect(sent("PATCH /api/alert-rules/")).toEqual({ paused: true });

    await page.getByRole("link", { name: "Edit On call" }).click();
    expect(await field("Address").inputValue()).toBe("kept");
    await field("Name").fill("Night shift");
    await button("Save the alert rule").click();
    await button("Delete Night shift").waitFor();
    expect(sent("PATCH /api/alert-rules/")).not.toHaveProperty("url");

    await page.getByRole("link", { name: "Edit Night shift" }).click();
    await field("Channel").selectOption("Microsoft Teams");
    expect(await field("Address").inputValue()).toBe("settings");
    await page.getByRole("link", { name: "Cancel" }).click();

    await button("Delete Night shift").click();
    await dialog().getByRole("button", { name: "Delete the alert rule" }).click();
    await said("No alert rule yet");
  });

  it("do not call an account unregistered that could not be asked for", async () => {
    const { page } = watched;
    keepAlerts(mock, []);
    mock.failing.set("/api/accounts", problem(500));
    await page.goto("/notifications?edit=new");
    const accounts = page.getByRole("group", { name: /^Accounts/ });
    await accounts.getByText("The accounts could not be loaded.").waitFor();
    expect(await page.getByText("No account is registered.").count()).toBe(0);
    mock.failing.clear();
    await accounts.getByRole("button", { name: "Try again" }).click();
    await field("contoso").check();
  });

  it("are read without buttons, or not at all", async () => {
    const { page } = watched;
    keepAlerts(mock);
    mock.who = person();
    await page.goto("/notifications?edit=new");
    await said("High and above, new or more severe or overdue, owned by Web team → Slack");
    const rules = page.getByRole("list", { name: "Alert rules" });
    expect(await rules.getByRole("button").count()).toBe(0);
    expect(await page.getByRole("heading", { name: "New alert rule" }).count()).toBe(0);

    const detail = "This needs the role viewer for all accounts; ask an administrator for it.";
    mock.failing.set("/api/alert-rules", problem(403, { code: "forbidden", detail }));
    await page.reload();
    await said(detail);
  });
});

describe("the inbox", () => {
  const unread = (n: number) => watched.page.getByRole("link", { name: `Inbox ${n} unread` }).waitFor();
  const list = (name: string) => watched.page.getByRole("list", { name, exact: true }).getByRole("listitem");

  it("counts in the sidebar what is unread, and reads what is opened", async () => {
    const { page } = watched;
    fillInbox(mock);
    await page.goto("/a/acc/r/latest/issues");
    await page.getByRole("link", { name: "Inbox 3 unread" }).click();
    await list("Unread").nth(2).waitFor();
    await said("ann assigned it to you");
    await said("bob: We wait for the new origin.");
    await said("Overdue since 3 May 2026");
    await said("A run found it");
    await list("Unread").first().getByText("northwind").waitFor();
    await list("Unread").nth(1).getByRole("link").click();
    await page.waitForURL("**/a/acc/r/latest/issues/CFL-DNS-009");
    await unread(2);
    expect(sent("POST /api/inbox/read").issueIds).toHaveLength(1);
  });

  it("is read one by one and as a whole by the keys, and filtered", async () => {
    const { page } = watched;
    fillInbox(mock);
    await page.goto("/inbox");
    await list("Unread").first().getByRole("button").press("Enter");
    await unread(2);
    await expect.poll(() => list("Read").count()).toBe(2);
    await page.getByRole("button", { name: /^Mark as read: No record/ }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      .toMatch(/^Mark as read: No record/);
    await page.keyboard.press("Enter");
    await unread(1);
    await page.getByRole("navigation", { name: "Filter" }).getByRole("link", { name: "Unread" }).press("Enter");
    await page.waitForURL("**/inbox?unread=yes");
    await expect.poll(() => list("Read").count()).toBe(0);
    await list("Unread").first().waitFor();
    await button("Mark all as read").press("Enter");
    await said("Nothing unread");
    await page.getByRole("link", { name: "Inbox", exact: true }).waitFor();
    expect(Object.keys(sent("POST /api/inbox/read"))).toEqual(["until"]);
    await page.getByRole("link", { name: "Show all" }).press("Enter");
    await list("Read").nth(3).waitFor();
  });

  it("says why it is empty, looks every minute, and shows more on request", async () => {
    const { page } = watched;
    await page.clock.install();
    await page.goto("/inbox");
    await said("Nothing concerns you yet");
    fillInbox(
      mock,
      Array.from({ length: 60 }, () => ({ what: "opened", actor: "run", why: "owner" })),
    );
    await expect
      .poll(async () => {
        await page.clock.fastForward(61_000);
        return page.getByRole("link", { name: "Inbox 60 unread" }).count();
      })
      .toBe(1);
    await list("Unread").nth(49).waitFor();
    expect(await list("Unread").count()).toBe(50);
    await button("Show more").click();
    await list("Unread").nth(59).waitFor();
    expect(await button("Show more").count()).toBe(0);
  });

  it("is asked of nobody before somebody is signed in", async () => {
    const { page } = watched;
    fillInbox(mock);
    mock.key = "a-key";
    mock.signIn = { providers: [], password: false, passkeys: false, key: true };
    mock.cookies = false;
    mock.who = identity();
    await page.goto("/");
    await dialog().getByLabel("API key").fill("a-key");
    expect(all("GET /api/inbox")).toEqual([]);
    await dialog().getByRole("button", { name: "Sign in" }).click();
    await unread(3);
  });
});

import { expect, it } from "vitest";
import { account, assessment, problem } from "./fixtures/account.ts";
import { keepAlerts } from "./fixtures/alerts.ts";
import { operate } from "./fixtures/operate.ts";
import { some } from "./fixtures/some.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  operate(mock);
  keepAlerts(mock, []);
  mock.assessments = [assessment()];
});

const field = (name: string) => watched.page.getByLabel(name, { exact: true });
const link = (name: string) => watched.page.getByRole("link", { name, exact: true });
const dialog = () => watched.page.getByRole("dialog", { name: "Leave without saving?" });
const answer = (name: string) => dialog().getByRole("button", { name, exact: true }).click();
const changes = () => mock.log.filter((line) => !line.startsWith("GET "));
const at = () => watched.page.url().slice(mock.url.length);

it.each(
  some(2, [
    ["a comment", "/a/acc/r/latest/issues/CFL-SSL-001", "Comment", undefined],
    ["a decision", "/a/acc/r/latest/issues/CFL-SSL-001", "Assignee", undefined],
    ["a schedule", "/schedules?edit=new", "Times (cron)", "Cancel"],
    ["an alert rule", "/notifications?edit=new", "Name", "Cancel"],
    ["an exception", "/exceptions?edit=new", "Reason", "Cancel"],
    ["a zone", "/a/acc/settings", "Excluded zones", undefined],
    ["an account", "/accounts/new", "Name", "Cancel"],
    ["a setting", "/settings", "Token", undefined],
  ]),
)(
  "asks before %s that was typed is lost, sends nothing of it, and asks nobody who cancels",
  async (_, path, name, way) => {
    const { page } = watched;
    const open = async () => {
      await page.goto(path);
      await field(name).waitFor();
    };
    await open();
    await link("Inbox").click();
    await expect.poll(at).toBe("/inbox");
    await page.goBack();
    await field(name).fill("typed");
    await link("Inbox").click();
    await answer("Cancel");
    expect(await field(name).inputValue()).toBe("typed");
    await page.evaluate(() => window.history.forward());
    await dialog().waitFor();
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    expect(await field(name).inputValue()).toBe("typed");
    if (way) {
      await page.getByRole("main").getByText(way, { exact: true }).click();
      await field(name).waitFor({ state: "detached" });
      await page.goto(path);
      await field(name).fill("typed");
    }
    await link("Inbox").click();
    await answer("Leave");
    await expect.poll(at).toBe("/inbox");
    expect(changes()).toEqual([]);
  },
);

it("asks nothing of what is saved, and before another form takes the place of one", async () => {
  const { page } = watched;
  await page.goto("/schedules?edit=new");
  await field("Times (cron)").fill("@weekly");
  await link("Edit").first().click();
  await answer("Cancel");
  expect(await field("Times (cron)").inputValue()).toBe("@weekly");
  await page.getByRole("button", { name: "Save the schedule" }).click();
  await field("Times (cron)").waitFor({ state: "detached" });
  expect(await dialog().count()).toBe(0);
});

it("asks nothing where the address changes and the form stays", async () => {
  const { page } = watched;
  await page.goto("/exceptions?edit=new");
  await field("Reason").fill("typed");
  await page.getByRole("searchbox").fill("old");
  await expect.poll(at).toContain("q=old");
  expect(await field("Reason").inputValue()).toBe("typed");
});

it("shows the threshold that somebody else saved meanwhile, instead of replacing it", async () => {
  const { page } = watched;
  await page.goto("/a/acc/settings");
  await field("Threshold").selectOption("tokenWarnDays");
  await link("Inbox").click();
  await expect.poll(at).toBe("/inbox");
  await page.goBack();
  await field("Threshold").selectOption("tokenWarnDays");
  await field("Value").fill("30");
  const [was] = mock.accounts;
  if (!was) throw new Error("there is no account");
  const policy = { tokenWarnDays: 7, publicHosts: [] } as unknown as typeof was.policy;
  mock.accounts = [account({ ...was, policy, updatedAt: new Date().toISOString() })];
  mock.failing.set(`/api/accounts/${was.id}`, problem(409, { code: "conflict", detail: "It was changed." }));
  await page.getByRole("button", { name: "Save the threshold" }).click();
  await page.getByText("It was changed.").waitFor();
  await expect.poll(() => field("Value").inputValue()).toBe("7");
  expect(changes()).toHaveLength(1);
  expect(changes()[0]).toContain(`{"policy":{"tokenWarnDays":30},"updatedAt":"${was.updatedAt}"}`);
});

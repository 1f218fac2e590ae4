import { expect, it } from "vitest";
import { ACCOUNT, account, assessment, HOSTILE, problem, uuid } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.accounts = [account(), account({ id: uuid(902), name: HOSTILE[2] ?? "", providerId: "acc2", default: false })];
  mock.assessments = [assessment({ number: 2 })];
});

const at = () => watched.page.url().slice(mock.url.length);
const press = (...keys: string[]) =>
  keys.reduce((done, key) => done.then(() => watched.page.keyboard.press(key)), Promise.resolve());
const box = () => watched.page.getByRole("combobox", { name: /^Page, account/ });
const options = () => watched.page.getByRole("option");
const focused = () => watched.page.evaluate(() => document.activeElement?.textContent ?? "");
const loaded = () => watched.page.getByRole("heading", { level: 1 }).first().waitFor();
const overview = async () => {
  await watched.page.goto("/a/acc");
  await watched.page.getByText("By category").waitFor();
};

it("goes to a page by its name, with the keys alone", async () => {
  await overview();
  await press("Control+k");
  await box().fill("comp");
  await options().first().waitFor();
  const [active, first] = [
    await box().getAttribute("aria-activedescendant"),
    await options().first().getAttribute("id"),
  ];
  expect(active).toBe(first);
  await press("ArrowDown", "ArrowUp", "Enter");
  await expect.poll(at).toBe("/a/acc/r/latest/compliance/cis");
  expect(await box().count()).toBe(0);
});

it("finds zones, checks and findings, and asks the service once for what was typed", async () => {
  await overview();
  await watched.page.getByRole("button", { name: "Search" }).click();
  // The page's clock stands still while the keys are typed, however slowly they come.
  await watched.page.clock.install();
  await watched.page.clock.pauseAt(Date.now() + 60_000);
  await box().pressSequentially("dns-009");
  await watched.page.clock.resume();
  await watched.page.getByRole("group", { name: "Findings" }).getByRole("option").first().waitFor();
  expect(mock.log.filter((line) => line.includes("/findings?q="))).toEqual([
    `GET /api/assessments/${uuid(2)}/findings?q=dns-009&limit=6`,
  ]);
  const check = watched.page.getByRole("group", { name: "Checks" }).getByRole("option");
  expect(await check.allTextContents()).toEqual(["CFL-DNS-009 No record reveals the origin of a proxied host"]);
  await check.click();
  await expect.poll(at).toBe("/a/acc/r/latest/findings?q=CFL-DNS-009&result=all");
  await press("Control+k");
  await box().fill("shop");
  await watched.page.getByRole("group", { name: "Zones" }).getByRole("option", { name: "shop.example" }).click();
  await expect.poll(at).toBe("/a/acc/r/latest/findings?zone=shop.example");
});

it("assesses an account, and says when that did not start", async () => {
  await overview();
  mock.failing.set("/api/assess", problem(409, { detail: "It runs already." }));
  mock.failing.set("/api/assessments", problem(404));
  await press("Control+k");
  await box().fill("assess northwind");
  await press("Enter");
  await watched.page.getByText("It runs already.").waitFor();
  mock.failing.clear();
  await press("Enter");
  await watched.page.getByText("1 run at work").waitFor();
  expect(await box().count()).toBe(0);
  expect(mock.log.filter((line) => line.startsWith("POST /api/assess"))).toEqual(
    Array(2).fill(`POST /api/assess {"account":"${ACCOUNT}"}`),
  );
});

it("shows names from the account as text, and says when nothing matches or not all was asked", async () => {
  await overview();
  mock.failing.set(`/api/assessments/${uuid(2)}/findings`, problem(503, { detail: "Busy." }));
  await press("Control+k");
  await box().fill("elgoog");
  await watched.page.getByRole("option", { name: "[U+202E]gnp.elgoog.example" }).first().waitFor();
  await watched.page.getByText("Not everything could be searched.").waitFor();
  mock.failing.clear();
  await box().fill("zzzz");
  await watched.page.getByText("Nothing matches.").waitFor();
});

it("leads from a page of no account to the findings of all, where it searches those of one", async () => {
  await watched.page.goto("/");
  await loaded();
  await press("Control+k");
  await box().fill("dangling");
  await watched.page.getByRole("option", { name: "Findings of all accounts with dangling" }).click();
  await expect.poll(at).toBe("/findings?q=dangling");
});

it("gives the focus back to where it was", async () => {
  await overview();
  await watched.page.getByRole("button", { name: "Search" }).click();
  await box().waitFor();
  await press("Escape");
  await expect.poll(focused).toMatch(/^Search/);
  await watched.page
    .locator("main")
    .getByRole("link", { name: /^All \d+ issues$/ })
    .focus();
  await press("?");
  await watched.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await press("Escape");
  await expect.poll(focused).toMatch(/^All \d+ issues$/);
});

it("goes to the pages of the account by two keys", async () => {
  await watched.page.goto("/a/acc/runs");
  await loaded();
  for (const [key, address] of [
    ["f", "/a/acc/r/latest/findings"],
    ["m", "/a/acc/r/latest/map"],
    ["d", "/a/acc/drift"],
    ["r", "/a/acc/r/latest/remediation"],
    ["o", "/a/acc"],
  ] as const) {
    await press("g", key);
    await expect.poll(at).toBe(address);
  }
});

it("never takes a key from a field, and none at all once that is chosen, which lasts", async () => {
  await watched.page.goto("/a/acc/r/latest/findings");
  await watched.page.getByRole("grid").waitFor();
  await press("/");
  const search = watched.page.getByLabel("Fields and text to filter by");
  await expect.poll(() => search.evaluate((one) => one === document.activeElement)).toBe(true);
  await press("g", "o", "?", "/", "j");
  expect(await search.inputValue()).toBe("go?/j");
  await expect.poll(at).toContain("q=");
  expect(await watched.page.getByRole("dialog").count()).toBe(0);

  await watched.page.goto("/a/acc/r/latest/findings");
  await watched.page.getByRole("grid").waitFor();
  await press("?");
  await watched.page.getByLabel("Single keys do this").uncheck();
  await press("Escape");
  await watched.page.reload();
  await watched.page.getByRole("grid").waitFor();
  await press("g", "o", "?", "/");
  // The palette opens all the same, and leads back to the choice.
  await press("Control+k");
  expect(at()).toBe("/a/acc/r/latest/findings");
  await box().fill("shortcuts");
  await press("Enter");
  await watched.page.getByLabel("Single keys do this").check();
  await press("Escape");
  await watched.page.getByRole("dialog").waitFor({ state: "detached" });
  await press("g", "o");
  await expect.poll(at).toBe("/a/acc");
});

it("goes through the rows of a grid and of a table with j and k", async () => {
  await watched.page.goto("/a/acc/r/latest/findings");
  const grid = watched.page.getByRole("grid");
  await grid.waitFor();
  await press("j", "j", "j", "k");
  expect(await grid.getAttribute("aria-activedescendant")).toBe("row-1");
  await watched.page.goto("/a/acc/r/latest/paths");
  await watched.page.getByRole("table").waitFor();
  const row = () =>
    watched.page.evaluate(() =>
      [...document.querySelectorAll("tbody tr")].findIndex((one) => one.contains(document.activeElement)),
    );
  await press("j", "j");
  expect(await row()).toBe(1);
  await press("k");
  expect(await row()).toBe(0);
});

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Finding } from "../src/api/types";
import { launch, openPage, type Watched } from "./browser.ts";
import { assessment, HOSTILE, problem, uuid } from "./fixtures/account.ts";
import { Mock } from "./fixtures/mock.ts";

let browser: Browser;
let mock: Mock;
let watched: Watched;
let open: Finding[];

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

beforeEach(async () => {
  mock = await Mock.start();
  mock.assessments = [assessment({ findings: 5000, gaps: true })];
  open = mock.assessments[0]?.findings.filter(({ result }) => result !== "PASS") ?? [];
  watched = await openPage(browser, mock.url, { permissions: ["clipboard-read", "clipboard-write"] });
});
afterEach(async () => {
  await watched.close();
  await mock.stop();
  expect(watched.complaints).toEqual([]);
});

// Not by role: while the drawer traps the focus, the rows are hidden from assistive technology.
const grid = () => watched.page.locator('[role="grid"]');
const active = () => watched.page.locator('[role="row"][aria-selected="true"]');
const drawer = () => watched.page.getByRole("dialog");
const search = () => new URL(watched.page.url()).searchParams;
const at = (n: number) => open[n] as Finding;

async function show(path = "/a/acc/r/latest/findings"): Promise<void> {
  await watched.page.goto(path);
  await grid().waitFor();
}

it("goes through findings by keyboard, and gives the focus back", async () => {
  await show();
  await grid().focus();
  await watched.page.keyboard.press("j");
  await watched.page.keyboard.press("ArrowDown");
  await watched.page.keyboard.press("k");
  await active().getByText(at(1).message).waitFor();
  await watched.page.keyboard.press("Enter");
  await drawer()
    .getByRole("heading", { name: at(1).message })
    .waitFor();
  expect(search().get("finding")).toBe(at(1).id);

  await watched.page.keyboard.press("j");
  await drawer()
    .getByRole("heading", { name: at(2).message })
    .waitFor();
  expect(search().get("finding")).toBe(at(2).id);
  await watched.page.keyboard.press("k");
  await drawer()
    .getByRole("heading", { name: at(1).message })
    .waitFor();

  await watched.page.keyboard.press("Escape");
  await drawer().waitFor({ state: "detached" });
  expect(search().has("finding")).toBe(false);
  await expect.poll(() => grid().evaluate((el) => el === document.activeElement)).toBe(true);
  await watched.page.keyboard.press("j");
  await active().getByText(at(2).message).waitFor();
});

it("keeps few rows in the page and loads more on the way to the end", async () => {
  await show();
  await watched.page.getByText("4,286 findings").first().waitFor();
  expect(await grid().getAttribute("aria-rowcount")).toBe("4287");
  expect(await grid().locator('[role="row"]').count()).toBeLessThan(80);
  await grid().focus();
  await watched.page.keyboard.press("End");
  await active().getByText(at(199).message).waitFor();
  await expect.poll(() => mock.log.filter((line) => line.includes("cursor=200")).length).toBeGreaterThan(0);
  // Each page that arrives makes a new end to go to.
  await expect
    .poll(async () => {
      await watched.page.keyboard.press("End");
      return active().getAttribute("aria-rowindex");
    })
    .toBe("4287");
  await active().getByText(at(4285).message).waitFor();
  expect(await grid().locator('[role="row"]').count()).toBeLessThan(80);
});

it("says what is missing when a further page cannot be loaded", async () => {
  await show();
  mock.failing.set(`/api/assessments/${uuid(1)}/findings`, problem(500, { detail: "No more." }));
  await grid().focus();
  await watched.page.keyboard.press("End");
  await watched.page.getByText("Only the first 200 findings are shown.").waitFor();
  mock.failing.clear();
  await watched.page.getByRole("button", { name: "Try again" }).click();
  await watched.page.getByText("Only the first 200 findings are shown.").waitFor({ state: "detached" });
});

it("opens the finding of the address, also one that is not among the loaded rows", async () => {
  const far = at(3000);
  await show(`/a/acc/r/${uuid(1)}/findings?finding=${far.id}`);
  await drawer().getByRole("heading", { name: far.message }).waitFor();
  await drawer().getByText("flexible").first().waitFor();
  await drawer().getByText("Set SSL/TLS to Full (strict).").waitFor();
  await drawer().getByText("RFC 6797").waitFor();
  // Evidence with markup in it is text.
  await drawer()
    .getByText(HOSTILE[0] ?? "", { exact: true })
    .first()
    .waitFor();
  await drawer().getByRole("button", { name: "Close" }).click();
  await drawer().waitFor({ state: "detached" });
});

it("says so when the assessment has no such finding", async () => {
  await show(`/a/acc/r/latest/findings?finding=${"f".repeat(32)}`);
  await drawer().getByText("No such finding here").waitFor();
});

it("copies a finding as Markdown and as a link to this assessment", async () => {
  await show(`/a/acc/r/latest/findings?finding=${at(0).id}`);
  const pasted = () => watched.page.evaluate(() => navigator.clipboard.readText());
  await drawer().getByRole("button", { name: "Copy link" }).click();
  await drawer().getByRole("button", { name: "Copied" }).waitFor();
  expect(await pasted()).toBe(`${mock.url}/assessments/${uuid(1)}?finding=${at(0).id}`);
  await drawer().getByRole("button", { name: "Copy as Markdown" }).click();
  await drawer().getByText("Copy as Markdown: done").waitFor();
  expect(await pasted()).toContain("| `zone/settings` | `/ssl/value` |");
});

it("filters on the server, keeps the filters in the address and over a reload", async () => {
  await show();
  await watched.page.getByRole("button", { name: /^Warning/ }).click();
  await watched.page.getByRole("button", { name: /^Not assessed/ }).click();
  await watched.page.getByRole("button", { name: "Critical" }).click();
  await watched.page.getByLabel("Category").selectOption("ssl");
  await watched.page.getByLabel("Zone").selectOption("shop.example");
  await watched.page.getByRole("searchbox").fill("encrypted");
  await expect.poll(() => watched.page.url()).toContain("q=encrypted");
  expect(watched.page.url()).toContain("?result=FAIL&severity=critical&category=ssl&zone=shop.example&q=encrypted");
  const wanted = open.filter(
    (f) => f.result === "FAIL" && f.checkId === "CFL-SSL-001" && f.resource.zone === "shop.example",
  );
  await watched.page.getByText(`${wanted.length} findings`).first().waitFor();

  await watched.page.reload();
  await watched.page.getByText(`${wanted.length} findings`).first().waitFor();
  expect(await watched.page.getByRole("button", { name: "Critical" }).getAttribute("aria-pressed")).toBe("true");
  expect(await watched.page.getByRole("button", { name: /^Warning/ }).getAttribute("aria-pressed")).toBe("false");
  expect(await watched.page.getByRole("searchbox").inputValue()).toBe("encrypted");
  expect(await watched.page.getByLabel("Zone").inputValue()).toBe("shop.example");

  await watched.page.getByRole("button", { name: "Clear" }).click();
  await watched.page.getByText("4,286 findings").first().waitFor();
  expect(new URL(watched.page.url()).search).toBe("");
  expect(await watched.page.getByRole("searchbox").inputValue()).toBe("");
});

it("shows all results, with their counts", async () => {
  await show();
  await watched.page.getByRole("button", { name: "All results" }).click();
  await watched.page.getByText("5,000 findings").first().waitFor();
  expect(search().get("result")).toBe("all");
  await watched.page.getByRole("button", { name: "Pass 714", exact: true }).waitFor();
});

it("drops from the address what is wrong or the default", async () => {
  await show("/a/acc/r/latest/findings?result=FAIL,WARNING,UNKNOWN&severity=terrible&finding=x&q=");
  await expect.poll(() => new URL(watched.page.url()).search).toBe("");
});

it("says that the filters hide everything, and clears them", async () => {
  await watched.page.goto("/a/acc/r/latest/findings?q=nothing-like-this");
  await watched.page.getByText("No finding matches the filters").waitFor();
  await watched.page.getByRole("button", { name: "Clear the filters" }).click();
  await watched.page.getByText("4,286 findings").first().waitFor();
});

it("goes back through the browser's history", async () => {
  await show();
  await watched.page.getByRole("button", { name: "High" }).click();
  await watched.page.getByText(at(0).message).first().waitFor({ state: "detached" });
  await grid().locator('[role="row"]').nth(1).click();
  await drawer().waitFor();
  await watched.page.goBack();
  await drawer().waitFor({ state: "detached" });
  expect(search().get("severity")).toBe("high");
  await watched.page.goBack();
  await expect.poll(() => search().has("severity")).toBe(false);
});

it("opens another finding by a click beside the open drawer", async () => {
  await show();
  await grid()
    .locator('[role="row"]')
    .nth(1)
    .click({ position: { x: 300, y: 10 } });
  await drawer()
    .getByRole("heading", { name: at(0).message })
    .waitFor();
  await grid()
    .locator('[role="row"]')
    .nth(3)
    .click({ position: { x: 300, y: 10 } });
  await drawer()
    .getByRole("heading", { name: at(2).message })
    .waitFor();
});

it("names an assessment that does not exist", async () => {
  await watched.page.goto(`/a/acc/r/${uuid(404)}/findings`);
  await watched.page.getByText(uuid(404)).waitFor();
  await watched.page.getByRole("link", { name: "All assessments" }).waitFor();
});

it("keeps the rows someone reads when a newer assessment arrives", async () => {
  await show();
  mock.assessments = [assessment({ number: 2, findings: 7 }), ...mock.assessments];
  // Coming back to the window makes the page look for news.
  await expect
    .poll(
      async () => {
        await watched.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
        return watched.page.getByText("A newer assessment is there.").count();
      },
      { timeout: 20_000 },
    )
    .toBe(1);
  await watched.page.getByText("4,286 findings").first().waitFor();
  await watched.page.getByRole("button", { name: "Show it" }).click();
  await watched.page.getByText("5 findings").first().waitFor();
});

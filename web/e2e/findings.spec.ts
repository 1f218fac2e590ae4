import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { Finding, IssuesPage } from "../src/api/types";
import { integer } from "../src/lib/number.ts";
import { launch, openPage } from "./browser.ts";
import { assessment, HOSTILE, problem, uuid } from "./fixtures/account.ts";
import { exception } from "./fixtures/findings.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";
import { chips, choose, closeMenus, filterBy } from "./fixtures/tools.ts";

let open: Finding[];

stage(
  () => {
    mock.assessments = [assessment({ findings: 5000, gaps: true })];
    open = mock.assessments[0]?.findings.filter(({ result }) => result !== "PASS") ?? [];
  },
  { permissions: ["clipboard-read", "clipboard-write"] },
);

// Not by role: while the drawer traps the focus, the rows are hidden from assistive technology.
const grid = () => watched.page.locator('[role="grid"]');
const active = () => watched.page.locator('[role="row"][data-active="true"]');
const drawer = () => watched.page.getByRole("dialog");
const box = () => watched.page.getByLabel("Fields and text to filter by");
const search = () => new URL(watched.page.url()).searchParams;
const sent = (start: string) =>
  mock.log.filter((line) => line.startsWith(start)).map((line) => JSON.parse(line.replace(/^\S+ \S+ /, "")));
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
  await filterBy(watched.page, "Result", "Warning", "Not assessed");
  await filterBy(watched.page, "Severity", "Critical");
  await filterBy(watched.page, "Category", "ssl");
  await filterBy(watched.page, "Zone", "shop.example");
  await expect.poll(() => box().inputValue()).toContain("zone:shop.example");
  await box().press("End");
  await box().pressSequentially(" encrypted");
  await expect.poll(() => watched.page.url()).toContain("q=encrypted");
  expect(watched.page.url()).toContain("?result=FAIL&severity=critical&category=ssl&zone=shop.example&q=encrypted");
  const wanted = open.filter(
    (f) => f.result === "FAIL" && f.checkId === "CFL-SSL-001" && f.resource.zone === "shop.example",
  );
  await watched.page.getByText(`${wanted.length} findings`).first().waitFor();

  await watched.page.reload();
  await watched.page.getByText(`${wanted.length} findings`).first().waitFor();
  expect(await chips(watched.page).getByRole("listitem").allTextContents()).toEqual([
    "Severity: Critical",
    "Result: Fail",
    "Category: ssl",
    "Zone: shop.example",
    "Clear all",
  ]);
  expect(await box().inputValue()).toBe("sev:critical result:fail cat:ssl zone:shop.example encrypted");

  await watched.page.getByRole("button", { name: "Clear all" }).click();
  await watched.page.getByText("4,286 findings").first().waitFor();
  expect(new URL(watched.page.url()).search).toBe("");
  expect(await box().inputValue()).toBe("");
});

it("takes one row at 1280 pixels, and a second one only for filters", async () => {
  await show();
  const tools = watched.page.getByRole("search");
  expect((await tools.boundingBox())?.height).toBeLessThanOrEqual(48);
  await filterBy(watched.page, "Severity", "High");
  await chips(watched.page).waitFor();
  expect((await tools.boundingBox())?.height).toBeLessThanOrEqual(80);
  for (const width of [900, 390]) {
    await watched.page.setViewportSize({ width, height: 800 });
    expect(await watched.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

it("adds, changes and removes filters by keys alone, and gives the focus back", async () => {
  const { page } = watched;
  await show();
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent);
  const add = page.getByRole("button", { name: "Add filter" });
  await add.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Severity" }).waitFor();
  await expect.poll(focused).toBe("Severity");
  await page.keyboard.press("ArrowRight");
  await expect.poll(focused).toMatch(/^Critical/);
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => search().get("severity")).toBe("critical,high");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(focused).toBe("Severity2");
  await page.keyboard.press("Escape");
  await expect.poll(focused).toBe("Add filter");

  const chip = chips(page).getByRole("button", { name: "Severity: Critical, High", exact: true });
  await chip.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitemcheckbox", { name: /^Critical/ }).waitFor();
  await expect.poll(focused).toMatch(/^Critical/);
  await page.keyboard.press("Enter");
  await expect.poll(() => search().get("severity")).toBe("high");
  await closeMenus(page);
  await expect.poll(focused).toBe("Severity: High");
  await page.keyboard.press("Tab");
  await expect.poll(focused).toBe("Remove the filter Severity: High");
  await page.keyboard.press("Enter");
  await expect.poll(() => search().has("severity")).toBe(false);
  await expect.poll(focused).toBe("Add filter");
  expect(await chips(page).count()).toBe(0);
});

it("suggests fields and their values, and takes them by keys or by mouse", async () => {
  const { page } = watched;
  await show();
  await box().pressSequentially("zone:st");
  const options = page.getByRole("option");
  await options.filter({ hasText: "zone:static.example" }).waitFor();
  expect(await box().getAttribute("aria-expanded")).toBe("true");
  await page.keyboard.press("ArrowDown");
  expect(await box().getAttribute("aria-activedescendant")).toBe(await options.first().getAttribute("id"));
  await page.keyboard.press("Enter");
  expect(await box().inputValue()).toBe("zone:static.example ");
  await expect.poll(() => search().get("zone")).toBe("static.example");
  await box().pressSequentially("crit");
  await options.filter({ hasText: "sev:critical" }).click();
  await expect.poll(() => search().get("severity")).toBe("critical");
  // A check by a word of its title, and what each suggestion asks for.
  const before = await box().inputValue();
  await box().pressSequentially("encrypt");
  await options.filter({ hasText: /check:CFL-SSL-001.*encrypted/ }).waitFor();
  await box().fill(before);
  await box().pressSequentially("s");
  await options.filter({ hasText: "severity" }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => options.count()).toBe(0);
  expect(await box().inputValue()).toContain("sev:critical");
});

it("orders on the server, by a heading and by the menu, and keeps that in the address", async () => {
  const { page } = watched;
  await show();
  const head = (name: string) => grid().getByRole("columnheader", { name });
  const names = async () => (await grid().locator('[role="row"]').allTextContents()).slice(1, 20);
  const before = await names();
  await head("Zone").getByRole("button").click();
  await expect.poll(() => search().get("sort")).toBe("zone");
  await expect.poll(() => head("Zone").getAttribute("aria-sort")).toBe("ascending");
  await expect.poll(() => mock.log.filter((line) => /findings\?.*sort=zone/.test(line)).length).toBeGreaterThan(0);
  const [first] = [...open].sort((x, y) => ((x.resource.zone ?? "") < (y.resource.zone ?? "") ? -1 : 1));
  await expect.poll(async () => (await names())[0]).toContain(first?.resource.zone ?? "");
  expect(await names()).not.toEqual(before);
  await head("Zone").getByRole("button").click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
  await choose(page, "Sort", "Open the longest");
  await expect.poll(() => search().get("sort")).toBe("oldest");
  await page.getByRole("button", { name: "Sort: Open the longest" }).waitFor();
  // Pages after the first are asked for in the same order.
  await grid().focus();
  await page.keyboard.press("End");
  await expect.poll(() => mock.log.filter((line) => /sort=oldest.*cursor=200/.test(line)).length).toBe(1);
});

it("shows the columns that are chosen, in their order, and keeps them in the address", async () => {
  const { page } = watched;
  await show();
  const heads = async () => (await grid().getByRole("columnheader").allTextContents()).filter((name) => name !== "");
  expect(await heads()).toEqual(["Severity", "Result", "Check", "Resource", "Zone", "Message"]);
  await page.getByRole("button", { name: "Columns" }).click();
  const list = page.getByRole("list", { name: "Columns in their order" });
  await list.getByRole("checkbox", { name: "Result" }).uncheck();
  await list.getByRole("checkbox", { name: "First seen" }).check();
  await expect.poll(heads).toEqual(["Severity", "Check", "Resource", "Zone", "Message", "First seen"]);
  await list.getByRole("button", { name: "Move Zone forward" }).click();
  await expect.poll(heads).toEqual(["Severity", "Check", "Zone", "Resource", "Message", "First seen"]);
  expect(await list.getByRole("checkbox", { name: "Message" }).isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Columns");
  expect(search().get("columns")).toBe("severity,check,zone,resource,message,seen");
  await page.reload();
  await grid().waitFor();
  expect(await heads()).toEqual(["Severity", "Check", "Zone", "Resource", "Message", "First seen"]);
  expect(await grid().getAttribute("aria-colcount")).toBe("7");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("button", { name: "Usual columns" }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
});

it("shows all results, with their counts", async () => {
  await show();
  await filterBy(watched.page, "Result", /^Pass714$/, "Not applicable");
  await watched.page.getByText("5,000 findings").first().waitFor();
  expect(search().get("result")).toBe("all");
  await chips(watched.page).getByText("Result: All").waitFor();
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

it.each(["findings", "remediation"])(
  "says of a check that is gone that it is, not that it found nothing: %s",
  async (page) => {
    for (const finding of mock.assessments[0]?.findings.slice(0, 9) ?? []) finding.remediable = true;
    await watched.page.goto(`/a/acc/r/latest/${page}?check=CFL-OLD-001`);
    await watched.page.getByText("This run has no check CFL-OLD-001").waitFor();
  },
);

it("goes back through the browser's history", async () => {
  await show();
  await filterBy(watched.page, "Severity", "High");
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

it("understands a query, tells what it does not understand, and applies nothing half", async () => {
  await show();
  await box().fill("sev:crit,high zone:shop -cat:dns colour:red");
  await watched.page.getByText("there is no field colour").waitFor();
  expect(new URL(watched.page.url()).search).toBe("");
  await box().fill("sev:crit,high zone:shop -cat:dns");
  await expect
    .poll(() => new URL(watched.page.url()).search)
    .toBe("?severity=critical,high&category=-dns&zone=shop.example");
  const wanted = open.filter(
    (f) => ["critical", "high"].includes(f.severity) && f.category !== "dns" && f.resource.zone === "shop.example",
  );
  const said = `${wanted.length} findings`;
  await watched.page.getByText(said).first().waitFor();
  await watched.page.getByRole("status").filter({ hasText: said }).waitFor({ timeout: 5000 });
  // The facet of a field counts what its other values would list.
  await chips(watched.page).getByText("Category: not dns").waitFor();
  await chips(watched.page).getByRole("button", { name: "Severity: Critical, High", exact: true }).click();
  await watched.page.getByRole("menuitemcheckbox", { name: /^Medium ?\d+$/ }).waitFor();
});

it("groups by zone, shows one group, and keeps both in the address", async () => {
  await watched.page.goto("/a/acc/r/latest/findings?severity=critical");
  await choose(watched.page, "Group", "By zone");
  const list = watched.page.getByRole("list", { name: "Findings by zone" });
  await list.getByText("<img src=x onerror=alert(1)>.example").waitFor();
  await list.getByRole("button", { name: "shop.example" }).click();
  await expect.poll(() => new URL(watched.page.url()).search).toBe("?severity=critical&group=zone&in=shop.example");
  const wanted = open.filter((f) => f.severity === "critical" && f.resource.zone === "shop.example");
  await expect.poll(() => grid().getAttribute("aria-rowcount")).toBe(String(wanted.length + 1));
  await grid().focus();
  await watched.page.keyboard.press("Enter");
  await drawer()
    .getByRole("heading", { name: wanted[0]?.message ?? "" })
    .waitFor();
  await watched.page.keyboard.press("j");
  await drawer()
    .getByRole("heading", { name: wanted[1]?.message ?? "" })
    .waitFor();
});

it("shares views by name with everybody, and deletes them for everybody", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/findings?severity=low&group=check&sort=zone&columns=check,message");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByText("None yet.").waitFor();
  await page.getByLabel("Name of the view").fill("Low <b>ones</b>");
  await page.getByRole("button", { name: "Save this view" }).click();
  await page.getByText("Saved for everybody.").waitFor();
  expect(sent("POST /api/views")).toEqual([
    {
      name: "Low <b>ones</b>",
      page: "findings",
      query: "severity=low&group=check&sort=zone&columns=check%2Cmessage",
    },
  ]);

  // Somebody else, with another browser.
  const other = await openPage(await launch(), mock.url);
  await other.page.goto("/a/acc/r/latest/findings");
  await other.page.getByRole("button", { name: "Views" }).click();
  await other.page.getByRole("link", { name: "Low <b>ones</b>" }).click();
  await expect
    .poll(() => Object.fromEntries(new URL(other.page.url()).searchParams))
    .toEqual({ severity: "low", group: "check", sort: "zone", columns: "check,message" });
  await other.page.getByRole("button", { name: "Views" }).click();
  await other.page.getByRole("button", { name: "Delete the view Low <b>ones</b>" }).click();
  await other.page.getByText("Deleted for everybody.").waitFor();
  expect(other.complaints).toEqual([]);
  await other.close();
  await other.page.context().browser()?.close();
  await page.reload();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByText("None yet.").waitFor();
});

it("moves the views this browser kept to the service, and loses none", async () => {
  const { page } = watched;
  mock.views = [
    { id: uuid(6001), name: "Mine", page: "findings", query: "severity=high", createdAt: "2026-03-01T00:00:00Z" },
  ];
  await show();
  const kept = (views: object[]) =>
    page.evaluate((text) => localStorage.setItem("edgeposture.findings.views", text), JSON.stringify(views));
  await kept([
    { name: "Mine", query: "severity=low" },
    { name: "Other", query: "group=zone" },
  ]);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByText("Only this browser has 2 more views.").waitFor();
  mock.failing.set("/api/views", problem(503, { detail: "Busy." }));
  await page.getByRole("button", { name: "Share with everybody" }).click();
  await page.getByText("The views were not changed.").waitFor();
  await page.getByText("Only this browser has 2 more views.").waitFor();
  mock.failing.clear();
  await page.getByRole("button", { name: "Share with everybody" }).click();
  await page.getByText("Moved; everybody has them now.").waitFor();
  expect(mock.views.map(({ name, query }) => [name, query])).toEqual([
    ["Mine", "severity=high"],
    ["Mine (2)", "severity=low"],
    ["Other", "group=zone"],
  ]);
  expect(await page.evaluate(() => localStorage.getItem("edgeposture.findings.views"))).toBe(null);
  await page.evaluate(() => localStorage.setItem("edgeposture.findings.views", "{broken"));
  await page.reload();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("link", { name: "Mine (2)" }).waitFor();
  expect(await page.getByText("Only this browser has").count()).toBe(0);
});

it("exports exactly what the filter lists, with its address", async () => {
  await show("/a/acc/r/latest/findings?severity=critical&zone=shop.example");
  const wanted = open.filter((f) => f.severity === "critical" && f.resource.zone === "shop.example");
  const [file] = await Promise.all([
    watched.page.waitForEvent("download"),
    choose(watched.page, "Export", "CSV of what is listed"),
  ]);
  const lines = (await readFile((await file.path()) ?? "", "utf8")).trim().split("\r\n");
  expect(lines[0]).toContain(`/a/acc/r/${uuid(1)}/findings?severity=critical&zone=shop.example`);
  expect(lines.slice(2).map((line) => line.split(",")[0])).toEqual(wanted.map(({ id }) => id));
  mock.failing.set(`/api/assessments/${uuid(1)}/findings`, problem(500, { detail: "No more." }));
  await choose(watched.page, "Export", "JSON of what is listed");
  await watched.page.getByText("Nothing was exported.").waitFor();
});

it("accepts selected findings after saying what that hides", async () => {
  const { page } = watched;
  await show();
  await grid().focus();
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Shift+X");
  await page.getByText("3 findings selected").first().waitFor();
  await page.getByRole("button", { name: "Accept…" }).click();
  // Only what was chosen.
  await drawer()
    .getByText(/^Hides 3 findings, \d+ critical, on 1 attack path\.$/)
    .waitFor();
  const ids = [0, 1, 2].map((n) => at(n).id);
  expect(sent("POST /api/exceptions/bulk/preview")).toEqual([{ ids }]);
  await drawer().getByLabel("Reason").fill("Known");
  await drawer().getByLabel("Owner").fill("edge team");
  mock.failing.set("/api/exceptions", problem(422, { detail: "It is full." }));
  const accept = drawer().getByRole("button", { name: "Accept 3 findings" });
  await accept.click();
  await drawer().getByText("It is full.").waitFor();
  await drawer().getByText("Nothing was accepted.").waitFor();
  expect(await drawer().getByLabel("Reason").inputValue()).toBe("Known");
  mock.failing.clear();
  await accept.click();
  await drawer().waitFor({ state: "detached" });
  await page.getByText("3 findings accepted.").waitFor();
  expect(sent("POST /api/exceptions/bulk {").at(-1)).toMatchObject({ ids, reason: "Known", owner: "edge team" });
  // They stay in the run, marked.
  await grid().getByText("Accepted since:").first().waitFor();
  expect(mock.exceptions).toHaveLength(1);
});

it("selects all that match without reading them, and says what is left out", async () => {
  const { page } = watched;
  mock.exceptions = [exception(1, { match: { checkIds: [at(0).checkId], resourceIds: [at(0).resource.id] } })];
  await show("/a/acc/r/latest/findings?severity=critical");
  await grid().getByRole("checkbox").nth(1).click();
  const wanted = open.filter((f) => f.severity === "critical").length;
  expect(wanted).toBeGreaterThan(200);
  const read = () => mock.log.filter((line) => line.startsWith("GET /api/assessments/")).length;
  const before = read();
  const accepted = open.filter(
    (f) => f.severity === "critical" && f.checkId === at(0).checkId && f.resource.id === at(0).resource.id,
  ).length;
  const all = page.getByRole("button", { name: `Select all ${integer(wanted)} matching` });
  await all.click();
  await page
    .getByText(`All ${integer(wanted)} matching selected`)
    .first()
    .waitFor();
  const boxes = grid().getByRole("checkbox");
  for (const box of await boxes.all()) expect(await box.isChecked()).toBe(true);
  // A row that is taken out leaves the other loaded ones.
  await boxes.nth(2).click();
  await page.getByText("199 findings selected").first().waitFor();
  expect(await boxes.nth(2).isChecked()).toBe(false);
  expect(await boxes.nth(3).isChecked()).toBe(true);
  await all.click();
  await page.getByRole("button", { name: "Accept…" }).click();
  await drawer()
    .getByText(`Hides ${integer(wanted - accepted)} findings`)
    .waitFor();
  await drawer()
    .getByText(`Left out: ${integer(accepted)} accepted already.`)
    .waitFor();
  expect(read()).toBe(before);
  expect(sent("POST /api/exceptions/bulk/preview")).toEqual([
    { assessmentId: uuid(1), filter: { severity: "critical" } },
  ]);
  await page.keyboard.press("Escape");
  await drawer().waitFor({ state: "detached" });
  // Another filter selects nothing: what is not seen must not be accepted.
  await filterBy(page, "Severity", "High");
  await page.getByRole("region", { name: "Selected findings" }).waitFor({ state: "detached" });
});

it.each(["/a/acc/r/latest/findings", "/findings"])("lets nobody choose rows of the filter before on %s", async (at) => {
  const { page } = watched;
  await show(`${at}?severity=critical`);
  let answer = () => {};
  const late = new Promise<void>((done) => {
    answer = done;
  });
  await page.route(/\/findings\?.*severity=low/, async (route) => {
    await late;
    await route.continue();
  });
  await filterBy(page, "Severity", "Critical");
  await filterBy(page, "Severity", "Low");
  await grid().getByRole("checkbox").nth(0).click();
  await grid().getByRole("checkbox").nth(1).click();
  const chosen = page.getByRole("region", { name: "Selected findings" });
  expect(await chosen.count()).toBe(0);
  answer();
  await grid().getByText("Low").first().waitFor();
  expect(await chosen.count()).toBe(0);
  await grid().getByRole("checkbox").nth(1).click();
  await page.getByText("1 finding selected").first().waitFor();
});

it("accepts once although an answer was lost", async () => {
  const { page } = watched;
  await show("/findings?severity=critical&account=acc");
  await grid().getByRole("checkbox").nth(1).click();
  await page.getByRole("button", { name: "Select all matching" }).click();
  await page.getByText("All matching selected").first().waitFor();
  await page.getByRole("button", { name: "Accept…" }).click();
  await drawer().getByLabel("Reason").fill("Known");
  await drawer().getByLabel("Owner").fill("edge team");
  const wanted = open.filter((f) => f.severity === "critical").length;
  const accept = drawer().getByRole("button", { name: `Accept ${integer(wanted)} findings` });
  let loses = true;
  await page.route("**/api/exceptions/bulk", async (route) => {
    const response = await route.fetch();
    await (loses ? route.abort() : route.fulfill({ response }));
  });
  await accept.click();
  await drawer().getByText("Either all of it was accepted or nothing").waitFor();
  const made = mock.exceptions.length;
  expect(made).toBeGreaterThan(0);
  loses = false;
  await accept.click();
  await page.getByText(`${integer(wanted)} findings accepted.`).waitFor();
  expect(mock.exceptions).toHaveLength(made);
  expect(sent("POST /api/exceptions/bulk {")).toHaveLength(2);
  await page.getByText("No finding matches the filters").waitFor();
});

it("shows a finding as a page: state, history, paths, exceptions, and the way to its plan", async () => {
  mock.assessments = [assessment({ number: 2, findings: 70 }), assessment({ number: 1, findings: 70 })];
  const found = mock.assessments[0]?.findings[0] as Finding;
  found.remediable = true;
  mock.exceptions = [exception(1, { match: { checkIds: [found.checkId] } })];
  const decided = { owner: "mail team \u202e", due: "2026-06-01", overdue: true };
  mock.rewrite = (answer, address) =>
    address.includes("/issues?")
      ? { ...answer, items: (answer as IssuesPage).items.map((one) => ({ ...one, ...decided })) }
      : answer;
  await show(`/a/acc/r/latest/findings?finding=${found.id}`);
  await drawer().getByRole("link", { name: "Open the page" }).click();
  await watched.page.getByText("Found in 2 runs").waitFor();
  await watched.page.getByText("Accepted by mail team [U+202E]").waitFor();
  await watched.page.getByText("State now").waitFor();
  await watched.page.getByRole("definition").filter({ hasText: "2026-06-01 Overdue" }).waitFor();
  await watched.page.getByRole("definition").filter({ hasText: "mail team [U+202E]" }).first().waitFor();
  await watched.page.getByRole("button", { name: "Copy as JSON" }).click();
  await watched.page.getByText("Copy as JSON: done").waitFor();
  expect(JSON.parse(await watched.page.evaluate(() => navigator.clipboard.readText())).id).toBe(found.id);
  await watched.page.getByRole("link", { name: "Plan this fix" }).click();
  await watched.page.getByText("1 finding of 1 check chosen").waitFor();
  await watched.page.goto(`/a/acc/r/${uuid(1)}/findings/${found.id}`);
  await watched.page.getByText("A later run holds this finding.").waitFor();
  await watched.page.goto(`/a/acc/r/latest/findings/${"f".repeat(32)}`);
  await watched.page.getByText("No such finding here").waitFor();
});

it("leads with the problem, its fix and its evidence, and has the rest at the side where there is room", async () => {
  const { page } = watched;
  mock.assessments = [assessment({ number: 2, findings: 70 })];
  const [found] = mock.assessments[0]?.findings ?? [];
  const edges = async (name: string) => {
    const box = await page.getByRole("heading", { name, exact: true }).boundingBox();
    return { x: box?.x ?? 0, y: box?.y ?? 0 };
  };
  await page.setViewportSize({ width: 1100, height: 900 });
  await page.goto(`/a/acc/r/latest/findings/${found?.id}`);
  await page.getByRole("heading", { name: "State now" }).waitFor();
  const [why, fix, evidence, state] = await Promise.all(["Why it matters", "Fix", "Evidence", "State now"].map(edges));
  expect(new Set([why?.x, fix?.x, evidence?.x]).size).toBe(1);
  expect(state?.x).toBeGreaterThan(evidence?.x ?? 0);
  expect(state?.y).toBeLessThan(evidence?.y ?? 0);
  await page.setViewportSize({ width: 1099, height: 900 });
  await expect.poll(async () => (await edges("State now")).y).toBeGreaterThan((await edges("Evidence")).y);
  const { resource, nodeId } = found ?? { nodeId: "" };
  for (const [name, address] of [
    [`Everything that ${found?.checkId} found`, `/issues/${found?.checkId}`],
    ["Show it on the map", `/map?node=${encodeURIComponent(nodeId)}`],
    ["All findings of this resource", `/findings?resource=${resource?.id}`],
  ] as const) {
    expect(await page.getByRole("link", { name }).getAttribute("href")).toContain(address);
  }
});

it("lists findings over all accounts, without the accepted", async () => {
  mock.assessments = [assessment({ number: 2, findings: 70 })];
  mock.exceptions = [exception(1)];
  await show("/findings?severity=critical,high");
  await watched.page.getByText("accepted, not listed.").waitFor();
  await grid().getByText("northwind").first().waitFor();
  await watched.page.getByRole("button", { name: "Show the accepted" }).click();
  await grid().getByText("Accepted:").first().waitFor();
  expect(search().get("exception")).toBe("only");
  await grid().getByRole("link", { name: "CFL-EMAIL-005" }).first().click();
  await watched.page.getByText("History").waitFor();
});

it("orders, filters and saves the list over all accounts", async () => {
  mock.assessments = [assessment({ number: 2, findings: 70 })];
  await show("/findings?severity=critical,high&sort=resource");
  const resource = grid().getByRole("columnheader", { name: "Resource" });
  await expect.poll(() => resource.getAttribute("aria-sort")).toBe("ascending");
  expect(
    mock.log.filter((line) => line.startsWith("GET /api/findings?")).every((line) => line.includes("sort=resource")),
  ).toBe(true);
  await filterBy(watched.page, "Account", "northwind");
  await expect.poll(() => search().get("account")).toBe("acc");
  const [file] = await Promise.all([
    watched.page.waitForEvent("download"),
    choose(watched.page, "Export", "CSV of what is listed"),
  ]);
  const lines = (await readFile((await file.path()) ?? "", "utf8")).trim().split("\r\n");
  expect(lines[0]).toContain("/findings?severity=critical");
  expect(lines).toHaveLength(2 + Number(await grid().getAttribute("aria-rowcount")) - 1);
});

it("does not refetch under a selection, and does again without one", async () => {
  const { page } = watched;
  mock.assessments = [assessment({ number: 2, findings: 70 })];
  await page.clock.install();
  await show("/findings");
  const asked = () => mock.log.filter((line) => line.startsWith("GET /api/findings?")).length;
  /** Minutes go by, somebody comes back to the tab, and what that asks for has left the browser before this ends. */
  const later = async () => {
    await page.clock.runFor("05:00");
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await page.evaluate(() => fetch("/api/health").then((answer) => answer.text()));
  };
  await grid().getByRole("checkbox").nth(1).click();
  await page.getByText("1 finding selected").first().waitFor();
  const before = asked();
  await later();
  expect(asked()).toBe(before);
  await page.getByRole("button", { name: /^Select all/ }).click();
  await later();
  expect(asked()).toBe(before);
  await page.getByRole("button", { name: "Clear the selection" }).click();
  await later();
  await expect.poll(asked).toBeGreaterThan(before);
});

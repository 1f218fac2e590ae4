import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { account, assessment, HOSTILE, uuid } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";
import { chips, choose, closeMenus } from "./fixtures/tools.ts";

stage(() => {
  mock.accounts = [account(), account({ id: uuid(902), name: "Contoso", providerId: "acc2", default: false })];
  mock.assessments = [assessment({ number: 2 }), assessment({ number: 1, ageSeconds: 90_000 })];
  for (const finding of mock.assessments[0]?.findings.slice(0, 9) ?? []) finding.remediable = true;
});

const at = () => watched.page.url().slice(mock.url.length);
const table = () => watched.page.getByRole("table", { name: "Issues" });
const rows = () => table().locator("tbody tr[aria-rowindex]");
const list = async (search = "") => {
  await watched.page.goto(`/a/acc/r/latest/issues${search}`);
  await rows().first().waitFor();
};

describe("the list of issues", () => {
  it("shows each problem once and keeps what narrows it in the address", async () => {
    await list();
    const all = await rows().count();
    expect(all).toBeGreaterThan(3);
    const checks = (mock.assessments[0]?.findings ?? []).filter(({ result }) => /FAIL|WARNING/.test(result));
    expect(all).toBe(Math.min(50, new Set(checks.map(({ checkId }) => checkId)).size));
    await watched.page.getByRole("button", { name: "Add filter" }).click();
    await watched.page.getByRole("menuitem", { name: "Severity" }).click();
    const choice = watched.page.getByRole("menuitemcheckbox", { name: /^Critical/ });
    const critical = Number((await choice.textContent())?.replace(/\D/g, ""));
    await choice.click();
    await closeMenus(watched.page);
    await expect.poll(at).toBe("/a/acc/r/latest/issues?severity=critical");
    await chips(watched.page).getByText("Severity: Critical").waitFor();
    await expect.poll(() => rows().count()).toBe(critical);
    await watched.page.reload();
    await expect.poll(() => rows().count()).toBe(critical);
    await watched.page.getByLabel("Search in the issues").fill("nothing is called so");
    await watched.page.getByText("No issue fits").waitFor();
    await watched.page.getByRole("button", { name: "Show all issues" }).click();
    await expect.poll(() => rows().count()).toBe(all);
  });

  it("orders by what is asked for", async () => {
    await list("?sort=resources");
    const counts = (await rows().locator('[data-label^="resource"]').allTextContents()).map(Number);
    expect(counts).toEqual([...counts].sort((x, y) => y - x));
    const resources = table().getByRole("columnheader", { name: "Resources" });
    expect(await resources.getAttribute("aria-sort")).toBe("descending");
    await resources.getByRole("button").click();
    await expect.poll(at).toBe("/a/acc/r/latest/issues");
    await choose(watched.page, "Sort", "Name");
    await expect.poll(at).toBe("/a/acc/r/latest/issues?sort=title");
    await expect.poll(() => mock.log.filter((line) => line.includes("/issues?sort=title")).length).toBe(1);
  });

  it("keeps what is chosen before the address has followed what was chosen before it", async () => {
    const { page } = watched;
    await list();
    let answer = () => {};
    const answered = new Promise<void>((done) => {
      answer = done;
    });
    await page.route("**/issues?*severity=*", async (route) => {
      await answered;
      await route.continue();
    });
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("menuitem", { name: "Severity" }).click();
    await page.getByRole("menuitemcheckbox").nth(1).waitFor();
    await page.evaluate(async () => {
      for (const choice of [...document.querySelectorAll<HTMLElement>('[role="menuitemcheckbox"]')].slice(0, 2)) {
        choice.click();
        await new Promise((done) => setTimeout(done));
      }
    });
    answer();
    await expect.poll(at).toBe("/a/acc/r/latest/issues?severity=critical,high");
    await chips(page).getByText("Severity: Critical, High").waitFor();
  });

  it("asks the service for what is new since last week, with one click", async () => {
    const [first] = mock.assessments;
    const old = first?.findings.find(({ result }) => result === "FAIL")?.checkId;
    for (const finding of first?.findings ?? []) {
      if (finding.checkId === old) finding.firstSeen = "2020-01-01T00:00:00Z";
    }
    await list();
    const all = await rows().count();
    const fresh = watched.page.getByRole("button", { name: "New since last week" });
    await fresh.click();
    await expect.poll(() => rows().count()).toBe(all - 1);
    expect(at()).toBe("/a/acc/r/latest/issues?new=7");
    expect(await fresh.getAttribute("aria-pressed")).toBe("true");
    expect(mock.log.some((line) => /issues\?new=7&/.test(line))).toBe(true);
    await watched.page.getByRole("button", { name: "Remove the filter New: Since last week" }).click();
    await expect.poll(() => rows().count()).toBe(all);
  });

  it("keeps few rows in the page and loads more on the way to the end", async () => {
    const [first] = mock.assessments;
    const one = first?.findings.find(({ result }) => result === "FAIL");
    if (first && one) {
      first.findings = Array.from({ length: 350 }, (_, n) => ({
        ...one,
        id: n.toString(16).padStart(32, "0"),
        checkId: `CFL-DNS-${String(n).padStart(3, "0")}`,
        message: `Thing ${n} is wrong`,
      }));
    }
    await list();
    await watched.page.getByText("350 issues").waitFor();
    expect(await table().getAttribute("aria-rowcount")).toBe("351");
    expect(await rows().count()).toBeLessThan(60);
    await expect
      .poll(async () => {
        await watched.page.keyboard.press("End");
        return rows().last().getAttribute("aria-rowindex");
      })
      .toBe("351");
    expect(await rows().count()).toBeLessThan(60);
    expect(mock.log.filter((line) => line.includes("/issues?") && line.includes("cursor="))).toHaveLength(3);
    const saved = watched.page.waitForEvent("download");
    await watched.page.getByRole("button", { name: "CSV" }).click();
    expect((await readFile(await (await saved).path(), "utf8")).trimEnd().split("\r\n")).toHaveLength(351);
  });

  it("shows the columns that are chosen and shares a view of them", async () => {
    await list();
    await watched.page.getByRole("button", { name: "Columns" }).click();
    const columns = watched.page.getByRole("list", { name: "Columns in their order" });
    await columns.getByRole("checkbox", { name: "Paths" }).uncheck();
    await columns.getByRole("checkbox", { name: "Effort" }).check();
    await watched.page.keyboard.press("Escape");
    await expect.poll(at).toBe("/a/acc/r/latest/issues?columns=severity,what,state,owner,resources,effort");
    await table().getByRole("columnheader", { name: "Effort" }).waitFor();
    await watched.page.getByRole("button", { name: "Views" }).click();
    await watched.page.getByLabel("Name of the view").fill("By effort");
    await watched.page.getByRole("button", { name: "Save this view" }).click();
    await watched.page.getByText("Saved for everybody.").waitFor();
    expect(mock.views).toMatchObject([
      { page: "issues", query: "columns=severity%2Cwhat%2Cstate%2Cowner%2Cresources%2Ceffort" },
    ]);
    await watched.page.goto("/a/acc/r/latest/issues");
    await watched.page.getByRole("button", { name: "Views" }).click();
    await watched.page.getByRole("link", { name: "By effort" }).click();
    await table().getByRole("columnheader", { name: "Effort" }).waitFor();
  });

  it("saves what is listed, and nothing else, as a table", async () => {
    await list("?severity=critical");
    const saved = watched.page.waitForEvent("download");
    await watched.page.getByRole("button", { name: "CSV" }).click();
    const lines = (await readFile(await (await saved).path(), "utf8")).trimEnd().split("\r\n");
    expect(lines[0]).toBe(
      "rank,severity,check_id,title,reason,category,resources,zones,attack_paths,effort,remediable,state,owner,assignee,due,overdue,accepted,first_seen",
    );
    expect(lines).toHaveLength(1 + (await rows().count()));
    expect(lines.slice(1).every((line) => line.includes(",critical,CFL-"))).toBe(true);
  });

  it("tells of issues whose risk is accepted", async () => {
    const [first] = mock.assessments;
    const checkId = first?.findings.find(({ result }) => result === "FAIL")?.checkId;
    for (const finding of first?.findings ?? []) if (finding.checkId === checkId) finding.exception = uuid(7);
    await list();
    await watched.page.getByRole("button", { name: "1 more issue" }).click();
    await watched.page.getByText("Risk accepted.").waitFor();
    expect(at()).toBe("/a/acc/r/latest/issues?state=all");
  });
});

describe("one issue", () => {
  it("says why, what it hits and how it is closed", async () => {
    const finding = mock.assessments[0]?.findings.find(({ result }) => result === "FAIL");
    const hits = mock.assessments[0]?.findings.filter(
      ({ checkId, result }) => checkId === finding?.checkId && /FAIL|WARNING/.test(result),
    );
    await watched.page.goto(`/a/acc/r/latest/issues/${finding?.checkId}`);
    await watched.page.getByRole("heading", { level: 1 }).filter({ hasText: /\w/ }).waitFor();
    const table = watched.page.getByRole("table", { name: "Resources that the issue hits" });
    await table.getByRole("link").first().waitFor();
    expect(await table.locator("tbody tr").count()).toBe(hits?.length);
    await watched.page.getByRole("heading", { name: /^How to fix/ }).waitFor();
    await table.getByRole("link").first().click();
    await watched.page.getByText("Evidence").waitFor();
    await watched.page
      .getByRole("navigation", { name: "Where you are" })
      .getByRole("link", { name: "Findings" })
      .click();
    await watched.page.getByRole("grid").waitFor();
  });

  it("says when a check found nothing", async () => {
    await watched.page.goto("/a/acc/r/latest/issues/CFL-NONE-001");
    await watched.page.getByText("This run has no check CFL-NONE-001").waitFor();
    await watched.page.getByText("An upgrade withdrew or renamed it").waitFor();
    await watched.page.getByRole("link", { name: "All issues of this run" }).click();
    await rows().first().waitFor();
  });
});

describe("where one is", () => {
  it("switches the account and the run, by mouse and by keys, and shows their names as text", async () => {
    mock.accounts = [account(), account({ id: uuid(902), name: HOSTILE[2] ?? "", providerId: "acc2", default: false })];
    await list();
    await watched.page.getByRole("button", { name: /^Latest run/ }).click();
    const entries = watched.page.getByRole("menuitemradio");
    await entries.nth(2).waitFor();
    expect(await entries.first().getAttribute("aria-checked")).toBe("true");
    await entries.nth(2).click();
    await expect.poll(at).toBe(`/a/acc/r/${uuid(1)}/issues`);
    await watched.page.getByRole("button", { name: /^Run of / }).waitFor();
    await watched.page.getByRole("button", { name: /^Account: / }).focus();
    await watched.page.keyboard.press("Enter");
    await watched.page.getByRole("menuitemradio", { name: "[U+202E]gnp.elgoog.example" }).waitFor();
    await watched.page.keyboard.press("Escape");
    await expect
      .poll(() => watched.page.evaluate(() => document.activeElement?.getAttribute("aria-haspopup")))
      .toBe("menu");
    await watched.page.keyboard.press("Enter");
    await entries.nth(1).waitFor();
    // The menu takes keys once it has the focus, which may be a moment after it is seen.
    await expect
      .poll(async () => {
        await watched.page.keyboard.press("End");
        return entries.nth(1).evaluate((entry) => entry === document.activeElement);
      })
      .toBe(true);
    await watched.page.keyboard.press("Enter");
    await expect.poll(at).toBe("/a/acc2");
  });

  it("names every page by what it shows", async () => {
    for (const [path, name] of [
      ["/a/acc", "Overview"],
      ["/a/acc/r/latest/issues", "Issues"],
      ["/a/acc/r/latest/findings", "Findings"],
      ["/a/acc/r/latest/paths", "Attack paths"],
      ["/a/acc/r/latest/map", "Inventory and map"],
      ["/a/acc/r/latest/compliance/cis", "Compliance"],
      ["/a/acc/drift", "Changes"],
      ["/a/acc/runs", "Runs"],
      ["/a/acc/r/latest/remediation", "Remediation"],
      ["/a/acc/backups", "Backups"],
      ["/a/acc/r/latest/exports", "Reports"],
      ["/a/acc/settings", "Account settings"],
      ["/", "Accounts"],
    ]) {
      // Also while no answer has come, when only the id of the account is known.
      await watched.page.route("**/api/**", () => {});
      await watched.page.goto(path ?? "");
      await watched.page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
      await watched.page.unrouteAll({ behavior: "ignoreErrors" });
      await watched.page.goto(path ?? "");
      await watched.page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
      expect(await watched.page.getByRole("heading", { level: 1 }).count(), path).toBe(1);
    }
  });
});

import { expect, it } from "vitest";
import { ACCOUNT, account, assessment, HOSTILE, job, problem, uuid } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";
import { choose } from "./fixtures/tools.ts";

stage(() => {
  const other = { id: "acc2", name: "Contoso" };
  mock.accounts = [
    account(),
    account({ id: uuid(901), name: "contoso", providerId: "acc2", demo: false, default: false }),
    account({ id: uuid(902), name: HOSTILE[0] ?? "", providerId: "", demo: false, default: false }),
  ];
  mock.assessments = [
    { ...assessment({ number: 2 }), score: { ...assessment().score, value: 80 } },
    assessment({ number: 1, ageSeconds: 90_000 }),
    { ...assessment({ number: 3 }), account: other, score: { ...assessment().score, value: 31 } },
  ];
});

const rows = () => watched.page.getByRole("table", { name: "Accounts" }).getByRole("row");
const names = () => rows().locator('[data-label="Account"]').getByRole("link").allTextContents();

it("shows every account, the worst first, and one that was never assessed as not known", async () => {
  await watched.page.goto("/");
  await expect.poll(names).toEqual([HOSTILE[0], "contoso", "northwind"]);
  // What Cloudflare calls it, beside the name that it is registered by.
  await rows().nth(3).getByText("Northwind Traders (demo)").waitFor();
  expect(await watched.page.getByText("Nothing here is about a real account.").count()).toBe(0);
  await expect.poll(() => rows().nth(1).getByText("not known").count()).toBe(1);
  await rows().nth(3).getByRole("link", { name: "+6" }).waitFor();
  await rows()
    .nth(3)
    .getByRole("img", { name: "Score of 2 runs: first 74, lowest 74, highest 80, newest 80." })
    .waitFor();
  await choose(watched.page, "Sort", "By name");
  await expect.poll(() => new URL(watched.page.url()).search).toBe("?sort=name");
  await watched.page.reload();
  await expect.poll(async () => (await names())[1]).toBe("contoso");
});

it("calls accounts by the names they are registered by, also where their runs are listed", async () => {
  mock.assessments.push({ ...assessment({ number: 4 }), account: { id: "gone", name: "Given up" } });
  await watched.page.goto("/assessments");
  const named = watched.page.getByRole("table").locator('[data-label="Account"]');
  await expect
    .poll(async () => (await named.allTextContents()).sort())
    .toEqual(["Given up demo", "contoso demo", "northwind demo", "northwind demo"]);
});

it("offers a new schedule for the account that asked for it, else for the default one", async () => {
  const { page } = watched;
  const chosen = page.getByLabel("Account", { exact: true });
  mock.accounts.reverse();
  await page.goto("/schedules?edit=new");
  await expect.poll(() => chosen.inputValue()).toBe(ACCOUNT);
  mock.assessments = [];
  await page.goto("/a/acc2");
  await page.getByRole("link", { name: "Add a schedule" }).click();
  await expect.poll(() => chosen.inputValue()).toBe(uuid(901));
});

it("calls no account idle or unscheduled while its runs and schedules are not known", async () => {
  mock.failing.set("/api/schedules", problem(500));
  mock.failing.set("/api/jobs", problem(500));
  await watched.page.goto("/");
  await watched.page.getByText("The schedules are not known.").waitFor();
  await watched.page.getByText("Running jobs are not known.").waitFor();
  const told = async (name: string) => rows().locator(`[data-label="${name}"]`).allTextContents();
  expect(await told("Next run")).toEqual(Array(3).fill("not known"));
  expect(await told("State")).toEqual(Array(3).fill("not known"));
  mock.failing.clear();
  await watched.page.reload();
  await expect.poll(() => told("Next run")).toEqual(Array(3).fill("not scheduled"));
  await expect.poll(() => told("State")).toEqual(Array(3).fill("idle"));
});

it("says of an account without an assessment that its run failed, and when", async () => {
  await watched.page.goto("/");
  const last = rows().nth(1).locator('[data-label="Last run"]');
  await expect.poll(() => last.textContent()).toBe("never");
  const finishedAt = new Date(Date.now() - 3 * 3_600_000).toISOString();
  mock.jobs = [job(1, { account: uuid(902), state: "failed", finishedAt })];
  await watched.page.reload();
  await expect.poll(() => last.textContent()).toBe("failed 3 hours ago");
  mock.jobs = [job(1, { account: uuid(902), state: "cancelled", finishedAt })];
  await watched.page.reload();
  await expect.poll(() => last.textContent()).toBe("cancelled 3 hours ago");
  // Behind more failures than are listed at once.
  const others = Array.from({ length: 200 }, (_, i) => job(10 + i, { account: uuid(901), state: "failed" }));
  mock.jobs = [...others, job(1, { account: uuid(902), state: "failed", finishedAt })];
  await watched.page.reload();
  await expect.poll(() => last.textContent()).toBe("failed 3 hours ago");
});

it("says that a run failed since the assessment that is shown, and nothing of one before it", async () => {
  const [since, before] = [assessment({ number: 2 }), assessment({ number: 3 })].map(({ completedAt }, i) => {
    return new Date(Date.parse(completedAt) + (i === 0 ? 1000 : -1000)).toISOString();
  });
  mock.jobs = [
    job(1, { state: "failed", ...(since && { finishedAt: since }) }),
    job(2, { account: uuid(901), state: "failed", ...(before && { finishedAt: before }) }),
  ];
  await watched.page.goto("/");
  const last = (row: number) => rows().nth(row).locator('[data-label="Last run"]').textContent();
  await expect.poll(() => last(3)).toMatch(/ago.*failed .*ago$/);
  expect(await last(2)).not.toContain("failed");
});

it("says that the assessments could not be loaded, and shows them once they can", async () => {
  mock.failing.set("/api/assessments", problem(503, { detail: "Busy." }));
  await watched.page.goto("/");
  await watched.page.getByText("The latest assessments could not be loaded.").waitFor();
  await expect.poll(() => rows().locator('[data-label="Last run"]').allTextContents()).toContain("not known");
  mock.failing.clear();
  await watched.page.getByRole("button", { name: "Try again" }).click();
  await rows().getByRole("link", { name: "31 C" }).waitFor();
});

it("says that the change of a score is not known, and shows the score", async () => {
  mock.failingAccounts.set(uuid(901), problem(503, { detail: "Busy." }));
  await watched.page.goto("/");
  await rows().nth(2).getByText("change not known").waitFor();
  await rows().nth(3).getByRole("link", { name: "+6" }).waitFor();
});

it("asks about hundreds of accounts at once, and for the lines of those in sight", async () => {
  const [made] = mock.assessments;
  if (!made) throw new Error("there is no assessment");
  mock.accounts = Array.from({ length: 300 }, (_, i) =>
    account({ id: uuid(i), name: `account ${i}`, providerId: `p${i}` }),
  );
  // A hundred were never assessed; a run of one of these failed.
  mock.assessments = mock.accounts.slice(0, 200).map(({ providerId = "", name }, i) => ({
    ...made,
    id: uuid(i),
    account: { id: providerId, name },
  }));
  mock.jobs = [job(1, { account: uuid(250), state: "failed" })];
  await watched.page.goto("/?sort=name");
  await rows().nth(100).getByRole("link", { name: "80 C" }).waitFor();
  const lines = () => mock.log.filter((call) => call.startsWith("GET /api/trends"));
  await expect.poll(() => lines().length).toBeGreaterThan(0);
  expect(lines().length).toBeLessThan(40);
  const more = watched.page.getByRole("button", { name: "Show 100 more of 300 accounts" });
  await more.click();
  expect(await rows().count()).toBe(201);
  await more.click();
  await rows().nth(300).getByRole("link", { name: "80 C" }).waitFor();
  await rows().getByText("never").nth(98).waitFor();
  await rows().getByText("failed").waitFor();
  expect(mock.log.length - lines().length).toBeLessThan(20);
  // By name the last of them.
  const last = `account=${uuid(99)}&`;
  expect(lines().join()).not.toContain(last);
  await rows().nth(300).scrollIntoViewIfNeeded();
  await expect.poll(() => lines().join()).toContain(last);
});

it("runs on chosen accounts, and keeps what did not start", async () => {
  await watched.page.goto("/");
  await watched.page.getByLabel("Choose every account").check();
  await watched.page.getByRole("button", { name: "Assess 3 accounts" }).click();
  await expect.poll(() => mock.log.filter((line) => line.startsWith("POST /api/assess ")).length).toBe(3);
  await watched.page.getByRole("button", { name: "Assess selected accounts" }).waitFor();
  await watched.page.getByText("3 runs at work").waitFor();

  mock.failing.set("/api/assess", problem(409, { detail: "It runs already." }));
  mock.failing.set("/api/assessments", problem(404));
  await watched.page.getByLabel("Choose northwind").check();
  await watched.page.getByRole("button", { name: "Assess 1 account" }).click();
  await watched.page.getByText("northwind: It runs already.").waitFor();
  await watched.page.getByRole("button", { name: "Assess 1 account" }).waitFor();
});

it("lists every run at work in the tray, on any page, and cancels one", async () => {
  mock.jobs = [
    job(1, { progress: { phase: "collect", done: 5, total: 10, unit: "read", requests: 5, waitingSeconds: 0 } }),
    job(2, { account: uuid(901), state: "queued" }),
  ];
  await watched.page.goto("/assessments");
  await watched.page.getByText("2 runs at work").click();
  const tray = watched.page.getByRole("banner").getByRole("listitem");
  await tray.first().getByText("5 of 10 reads").waitFor();
  await tray.nth(1).getByText("waiting for a worker").waitFor();
  await watched.page.getByRole("button", { name: "Cancel the run of contoso" }).click();
  await expect.poll(() => mock.jobs.find(({ id }) => id === uuid(2002))?.state).toBe("cancelled");
  await watched.page.keyboard.press("Escape");
  expect(await tray.first().isVisible()).toBe(false);
});

it("leads from addresses without an account to the page below it", async () => {
  const finding = mock.assessments[2]?.findings[0]?.id;
  await watched.page.goto(`/assessments/${uuid(3)}?finding=${finding}`);
  await watched.page.getByRole("dialog").getByText("Evidence").waitFor();
  expect(new URL(watched.page.url()).pathname).toBe(`/a/acc2/r/${uuid(3)}/findings`);
  await watched.page.goto(`/assessments/${uuid(44)}`);
  await watched.page.getByText("No such assessment").waitFor();
  await watched.page.goto("/assessments/latest?severity=high");
  await expect.poll(() => watched.page.url().slice(mock.url.length)).toBe("/a/acc/r/latest/findings?severity=high");
});

it("goes between the pages of an account by the menu, which a narrow window folds", async () => {
  await watched.page.goto("/a/acc2");
  const menu = watched.page.getByRole("navigation", { name: "Main" });
  const views = watched.page.getByRole("navigation", { name: "Views of this page" });
  await watched.page.getByRole("button", { name: "Account: contoso" }).waitFor();
  expect(await menu.getByRole("link").allTextContents()).toEqual([
    "Overview",
    "Issues",
    "Attack paths",
    "Inventory and map",
    "Explain a URL",
    "What if",
    "Compliance",
    "Remediation",
    "Reports",
    "Changes",
    "Inbox",
  ]);
  expect(await menu.locator("a svg").count()).toBe(11);
  await menu.getByRole("link", { name: "Issues" }).click();
  await views.getByRole("link", { name: "Findings" }).click();
  await watched.page.getByRole("grid").waitFor();
  expect(new URL(watched.page.url()).pathname).toBe("/a/acc2/r/latest/findings");
  expect(await views.getByRole("link", { name: "Findings" }).getAttribute("aria-current")).toBe("page");
  expect(await menu.getByRole("link", { name: "Issues" }).getAttribute("aria-current")).toBe("page");
  await watched.page.setViewportSize({ width: 400, height: 700 });
  expect(await menu.isVisible()).toBe(false);
  await watched.page.getByRole("button", { name: "Menu" }).click();
  await menu.getByRole("link", { name: "Changes" }).click();
  expect(await menu.isVisible()).toBe(false);
  await views.getByRole("link", { name: "Runs" }).click();
  await watched.page.getByRole("heading", { name: "Runs" }).waitFor();
});

it("keeps the menu where it is while another page comes", async () => {
  const { page } = watched;
  const menu = page.getByRole("navigation", { name: "Main" });
  const group = menu.getByRole("button", { name: "All accounts" });
  const below = async () => (await menu.getByRole("button", { name: "Settings" }).boundingBox())?.y;
  await page.goto("/");
  await expect.poll(names).toHaveLength(3);
  const at = await below();
  await rows().getByRole("link", { name: "northwind" }).click();
  await page.getByText("What to do first").waitFor();
  expect(await below()).toBe(at);
  expect(await group.getAttribute("aria-expanded")).toBe("true");
  await group.click();
  await menu.getByRole("link", { name: "Compliance" }).click();
  await page.getByRole("heading", { level: 1, name: "Compliance" }).waitFor();
  expect(await group.getAttribute("aria-expanded")).toBe("false");
});

it("asks once for all accounts which of them were assessed since, and shows what is newer", async () => {
  const { page } = watched;
  await page.clock.install();
  await page.goto("/");
  await rows().nth(2).getByText("31").waitFor();
  const newest = () => mock.log.filter((call) => call === "GET /api/assessments?limit=1");
  const each = () => mock.log.filter((call) => call.startsWith("GET /api/assessments?newest=true"));
  await expect.poll(() => newest().length).toBe(1);
  mock.log.length = 0;
  const later = () => page.clock.fastForward(31_000);
  await expect.poll(() => later().then(() => newest().length)).toBeGreaterThan(2);
  expect(each()).toEqual([]);
  const contoso = mock.assessments.find((made) => made.account.id === "acc2");
  if (!contoso) throw new Error("there is no assessment");
  mock.assessments.unshift({ ...contoso, id: uuid(57), score: { ...contoso.score, value: 57 } });
  await expect.poll(() => later().then(() => rows().filter({ hasText: "contoso" }).textContent())).toContain("57");
});

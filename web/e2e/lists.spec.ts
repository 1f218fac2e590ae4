import { describe, expect, it } from "vitest";
import { account, assessment, job, uuid } from "./fixtures/account.ts";
import { exceptions } from "./fixtures/findings.ts";
import { auditEntry, auditLog } from "./fixtures/operate.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";
import { chips, choose, filterBy } from "./fixtures/tools.ts";

stage(() => {
  mock.accounts = [account(), account({ id: uuid(902), name: "contoso", providerId: "acc2", demo: false })];
  mock.assessments = [assessment({ number: 2 }), assessment({ number: 1, ageSeconds: 90_000 })];
  mock.exceptions = exceptions();
  mock.answers.set("GET /api/audit", () => auditLog({ ...auditEntry(1), outcome: "refused" }));
  mock.jobs = [job(1, { state: "succeeded" }), job(2, { state: "failed" })];
});

const heads = () => watched.page.getByRole("columnheader").allTextContents();
const search = () => new URL(watched.page.url()).search;
/** What was asked of a path, each with its parameters in the order of their names. */
const asked = (path: string) =>
  mock.log
    .map((line) => new URL(line.replace("GET ", ""), "http://mock"))
    .filter(({ pathname }) => pathname === path)
    .map(({ searchParams }) =>
      [...searchParams]
        .map((pair) => pair.join("="))
        .sort()
        .join("&"),
    );

/** Each list with a column it can go without, one that is only shown when chosen, and what must be asked for a filter. */
describe.each([
  {
    path: "/jobs",
    hides: "Attempt",
    shows: "Started",
    filter: ["Account", "contoso"],
    address: `account=${uuid(902)}`,
    asks: ["/api/jobs", `account=${uuid(902)}&limit=100`],
  },
  {
    path: "/assessments",
    hides: "Took",
    shows: "Profile",
    filter: ["Account", "contoso"],
    address: "account=acc2",
    asks: ["/api/assessments", "account=acc2&limit=50"],
  },
  {
    path: "/a/acc/runs",
    hides: "Coverage",
    shows: "Attack paths",
    filter: ["Coverage", "With gaps"],
    address: "status=completed_with_gaps",
    asks: ["/api/assessments", "account=acc&limit=50&status=completed_with_gaps"],
  },
  {
    path: "/audit",
    hides: "Times",
    shows: "Hash",
    filter: ["Outcome", "Refused"],
    address: "outcome=refused",
    asks: ["/api/audit", "limit=100&outcome=refused"],
  },
  {
    path: "/exceptions",
    hides: "State",
    shows: "Made",
    filter: ["State", "Active"],
    address: "state=active",
  },
])("$path", ({ path: at, hides, shows, filter, address, asks = [] }) => {
  it("has the columns that were chosen, filters by chips, and keeps both in the address", async () => {
    const { page } = watched;
    await page.goto(at);
    await expect.poll(heads).toContain(hides);
    await page.getByRole("search").getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: hides, exact: true }).uncheck();
    await page.getByRole("checkbox", { name: shows, exact: true }).check();
    await page.keyboard.press("Escape");
    await expect.poll(heads).toContain(shows);
    expect(await heads()).not.toContain(hides);

    const [name = "", value = ""] = filter;
    await filterBy(page, name, value);
    await chips(page).getByText(value).waitFor();
    expect(search()).toContain(address);
    const [path = "", query = ""] = asks;
    if (path) await expect.poll(() => asked(path)).toContain(query);

    await page.reload();
    await chips(page).getByText(value).waitFor();
    await chips(page).getByRole("button", { name: "Clear all" }).click();
    await expect.poll(heads).toContain(shows);
    expect(search()).not.toContain(address);
  });
});

it("sorts accounts by their headings and finds one by a word", async () => {
  const { page } = watched;
  const table = page.getByRole("table", { name: "Accounts" });
  const names = () => table.locator('[data-label="Account"]').getByRole("link").allTextContents();
  await page.goto("/");
  await table.getByRole("columnheader").getByRole("button", { name: "Account" }).click();
  await expect.poll(names).toEqual(["contoso", "northwind"]);
  expect(search()).toBe("?sort=name");
  expect(await table.getByRole("columnheader", { name: "Account", exact: true }).getAttribute("aria-sort")).toBe(
    "ascending",
  );
  await table.getByRole("columnheader").getByRole("button", { name: "Last run" }).click();
  await expect.poll(names).toEqual(["northwind", "contoso"]);
  await page.getByLabel("Choose every account").check();
  await page.getByRole("button", { name: "Assess 2 accounts" }).waitFor();
  await page.getByLabel("Search in the accounts").fill("CONT");
  await expect.poll(names).toEqual(["contoso"]);
  await page.getByRole("button", { name: "Assess 1 account" }).waitFor();
  await page.getByLabel("Search in the accounts").fill("nobody");
  await page.getByRole("button", { name: "Show all accounts" }).click();
  await expect.poll(names).toHaveLength(2);
});

it("puts the exceptions that end first at the top, and those that are over last", async () => {
  const { page } = watched;
  mock.exceptions = exceptions().reverse();
  await page.goto("/exceptions");
  await choose(page, "Sort", "Ends first");
  await expect.poll(search).toBe("?sort=ends");
  await expect
    .poll(() => page.getByRole("table").locator('[data-label="State"]').allTextContents())
    .toEqual(["active", "expired", "revoked"]);
});

it("puts the worst checks first", async () => {
  const { page } = watched;
  await page.goto("/checks");
  await choose(page, "Sort", "Severity");
  await expect.poll(() => page.locator("main summary").first().textContent()).toMatch(/^Critical/);
});

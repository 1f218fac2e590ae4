import { expect, it } from "vitest";
import { assessment, problem, uuid } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";
import { tabTo } from "./fixtures/tabbing.ts";

/** How many days before the newest run each was, newest first; that of 6 days ago was of a part of the account. */
const DAYS = [0, 1, 6, 8, 26, 33];

stage(() => {
  mock.assessments = DAYS.map((days, i) => ({
    ...assessment({ number: DAYS.length - i, ageSeconds: 60 + days * 86_400 }),
    profile: days === 6 ? "core" : "full",
  }));
});

const press = (name: string) => watched.page.getByRole("button", { name }).click();
const search = () => new URL(watched.page.url()).search;

it("takes the whole run nearest to a week and to a month ago as the base, in one click", async () => {
  await watched.page.goto("/a/acc/drift");
  await press("Since last week");
  await expect.poll(search).toBe(`?from=${uuid(3)}&to=${uuid(6)}`);
  await watched.page.getByText("Became unreadable").first().waitFor();
  expect(await watched.page.getByRole("combobox", { name: /^Before/ }).inputValue()).toBe(uuid(3));
  await press("Since last month");
  await expect.poll(search).toBe(`?from=${uuid(1)}&to=${uuid(6)}`);
});

it("is one press away from the overview, by mouse and by keys", async () => {
  const { page } = watched;
  await page.goto("/a/acc");
  await press("Since last week");
  await expect.poll(search).toBe(`?from=${uuid(3)}&to=${uuid(6)}`);
  await page.getByRole("heading", { level: 1, name: "Changes" }).waitFor();
  await page.goto("/a/acc");
  const month = page.getByRole("button", { name: "Since last month" });
  await tabTo(month);
  await page.keyboard.press("Enter");
  await expect.poll(search).toBe(`?from=${uuid(1)}&to=${uuid(6)}`);
  await page.getByText("Became unreadable").first().waitFor();
});

it("is in its place before the runs are compared", async () => {
  const { page } = watched;
  let answer = () => {};
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.route("**/api/diff", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/a/acc");
  const week = page.getByRole("button", { name: "Since last week" });
  const counts = page.getByRole("link", { name: /Unreadable/ });
  const place = async () => {
    await expect.poll(() => page.locator('[class*="skeleton"]').count()).toBe(0);
    const [of, above] = await Promise.all([week.boundingBox(), page.getByText("What changed since").boundingBox()]);
    return (of?.y ?? 0) - (above?.y ?? 0);
  };
  await week.waitFor();
  const before = await place();
  expect(await counts.textContent()).toContain("…");
  answer();
  await expect.poll(() => counts.textContent()).toMatch(/^\d/);
  expect(await place()).toBe(before);
});

it("takes no run of today for one of last week, as the summary does not", async () => {
  mock.assessments = mock.assessments.slice(0, 2);
  const { page } = watched;
  await page.goto("/a/acc/drift");
  await press("Since last week");
  await page.getByText("No run of the whole account is about a week older.").waitFor();
  await page.goto("/a/acc/r/latest/summary");
  await page.getByText("No run of the whole account is about a week older.").waitFor();
});

it("counts from the run that is compared, and asks for no list of runs", async () => {
  await watched.page.goto(`/a/acc/drift?from=${uuid(1)}&to=${uuid(3)}`);
  await watched.page.getByText("Became unreadable").first().waitFor();
  mock.log.length = 0;
  await press("Since last week");
  await expect.poll(search).toBe(`?from=${uuid(2)}&to=${uuid(3)}`);
  expect(mock.log.filter((line) => line.startsWith("GET /api/assessments"))).toEqual([]);
});

it("says that no earlier run compares, and why one could not be found", async () => {
  for (const made of mock.assessments.slice(1)) made.profile = "core";
  await watched.page.goto("/a/acc/drift");
  await press("Since last month");
  await watched.page.getByText("No run of the whole account is about a month older.").waitFor();
  mock.failing.set("/api/trends", problem(503, { detail: "Busy." }));
  await press("Since last week");
  await watched.page.getByText("The earlier run could not be found.").waitFor();
});

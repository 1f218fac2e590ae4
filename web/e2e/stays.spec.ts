import { expect, it } from "vitest";
import type { PlanDetail } from "../src/api/types";
import { assessment, person, problem, uuid } from "./fixtures/account.ts";
import { keepAlerts } from "./fixtures/alerts.ts";
import { operate, PLAN, schedule } from "./fixtures/operate.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  operate(mock);
  keepAlerts(mock);
  mock.assessments = [assessment({ number: 2 }), assessment({ ageSeconds: 90_000 })];
});

/** Goes away for longer than any answer is taken for fresh, and looks at the page again. */
async function lookAgain(): Promise<void> {
  const { page } = watched;
  await page.clock.fastForward(61_000);
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
}

it.each([
  ["the accounts", "/", "Search in the accounts", "shop", "/api/accounts", "The accounts could not be loaded."],
  [
    "an alert rule",
    "/notifications?edit=new",
    "Name",
    "typed",
    "/api/alert-rules",
    "The alert rules could not be loaded.",
  ],
])("keeps %s and what was typed when it cannot be loaded again", async (_, path, name, text, call, said) => {
  const { page } = watched;
  await page.clock.install();
  await page.goto(path);
  const field = page.getByLabel(name, { exact: true });
  await field.fill(text);
  mock.failing.set(call, problem(500));
  await lookAgain();
  await page.getByText(said).waitFor();
  expect(await field.inputValue()).toBe(text);
});

it("keeps a plan that waits for its approval, with what was chosen in it, when that cannot be asked", async () => {
  const { page } = watched;
  mock.who = person({ role: "remediator", grants: [{ role: "remediator" }] });
  const at = `GET /api/remediate/plans/${PLAN}`;
  const planned = mock.answers.get(at)?.("", new URLSearchParams()) as PlanDetail;
  mock.answers.set(at, () => ({ ...planned, approval: { required: true } }));
  await page.clock.install();
  await page.goto(`/a/acc/r/latest/remediation?plan=${PLAN}`);
  const risky = page.getByLabel("Approve 1 change of high risk too");
  await risky.check();
  mock.failing.set("/api/remediate/plans/", problem(500));
  await lookAgain();
  await page.getByText("The plan could not be loaded.").waitFor();
  expect(await risky.isChecked()).toBe(true);
});

it("keeps a comparison when the list of runs cannot be loaded again", async () => {
  const { page } = watched;
  await page.clock.install();
  await page.goto("/a/acc/drift");
  await page.getByText("Resolved", { exact: true }).first().waitFor();
  mock.failing.set("/api/assessments", problem(500));
  await lookAgain();
  await page.getByText("The assessments could not be loaded.").waitFor();
  expect(await page.getByText("Resolved", { exact: true }).count()).toBeGreaterThan(0);
});

it("keeps what was typed about a schedule that somebody else deletes, and says so", async () => {
  const { page } = watched;
  await page.clock.install();
  await page.goto(`/schedules?edit=${uuid(6000)}`);
  const field = page.getByLabel("Times (cron)");
  await field.fill("0 7 * * mon");
  mock.answers.set("GET /api/schedules", () => ({ items: [], nextCursor: "" }));
  await lookAgain();
  await page.getByText("This schedule is not here").waitFor();
  expect(await field.inputValue()).toBe("0 7 * * mon");
});

it("takes what somebody else deleted before for deleted", async () => {
  const { page } = watched;
  await page.goto("/schedules");
  await page.getByRole("button", { name: "Delete…" }).click();
  mock.answers.set("GET /api/schedules", () => ({ items: [], nextCursor: "" }));
  await page.getByRole("button", { name: "Delete the schedule" }).click();
  await page.getByText("No schedule yet").waitFor();
  expect(mock.log.filter((line) => line.startsWith("DELETE "))).toHaveLength(1);
});

it("shows a thousand schedules part by part", async () => {
  const { page } = watched;
  const items = Array.from({ length: 1000 }, (_, n) => schedule({ id: uuid(7000 + n) }));
  mock.answers.set("GET /api/schedules", () => ({ items, nextCursor: "" }));
  await page.goto("/schedules");
  await page.getByRole("button", { name: "Show 50 more of 1,000 schedules" }).waitFor();
  expect(await page.getByRole("button", { name: "Delete…" }).count()).toBe(50);
});

it("says that it waits when an answer takes long", async () => {
  const { page } = watched;
  await page.route("**/api/jobs?*", () => {});
  await page.goto("/jobs");
  const waits = page.getByText("The service has not answered yet; this goes on when it does.").first();
  await waits.waitFor({ state: "attached" });
  expect(await waits.isVisible()).toBe(false);
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.finish();
  });
  await waits.waitFor();
});

it("says that Cloudflare's form is missing, and registers an account without it", async () => {
  const { page } = watched;
  mock.failing.set("/api/token-forms", problem(500));
  await page.goto("/accounts/new");
  await page.getByText("The links to Cloudflare's form could not be loaded.").waitFor();
  await page.getByRole("button", { name: "Register the account" }).waitFor();
});

it.each([1280, 390])("fits names without a blank into %i pixels", async (width) => {
  const { page } = watched;
  const long = "W".repeat(200);
  mock.accounts = mock.accounts.map((one) => ({ ...one, name: long, demo: false }));
  for (const { evidence } of mock.assessments[0]?.findings ?? []) {
    for (const seen of evidence) seen.pointer = long;
  }
  await page.setViewportSize({ width, height: 844 });
  const finding = mock.assessments[0]?.findings.find(({ evidence }) => evidence.length > 0);
  for (const [path, text] of [
    ["/a/acc/settings", "Erases the token"],
    [`/a/acc/r/latest/findings/${finding?.id}`, "Observed"],
  ] as const) {
    await page.goto(path);
    await page.getByText(text).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width);
  }
});

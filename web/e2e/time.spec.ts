import { expect, it } from "vitest";
import { assessment } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

const AT = "2026-03-14T22:30:00Z";

stage(
  () => {
    mock.assessments = [{ ...assessment(), completedAt: AT }];
  },
  { timezoneId: "Asia/Tokyo" },
);

const note = () => watched.page.getByRole("tooltip");
const told = () => note().getByText("2026-03-14 22:30 UTC");

it("says an instant in UTC and where the reader is, for the pointer and for the keyboard", async () => {
  const { page } = watched;
  await page.goto("/a/acc");
  const time = page.locator(`header time[datetime="${AT}"]`);
  await time.hover();
  await told().waitFor();
  await note().getByText("15 Mar 2026, 07:30 GMT+9").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => note().isVisible()).toBe(false);

  await time.focus();
  await told().waitFor();
  expect(await time.getAttribute("aria-describedby")).toBe(await note().getAttribute("id"));
  await page.keyboard.press("Tab");
  await expect.poll(() => note().isVisible()).toBe(false);
});

it("says it for the link that a time is the text of, which stays one stop", async () => {
  const { page } = watched;
  await page.goto("/a/acc/runs");
  const link = page.getByRole("table").getByRole("link").first();
  await link.focus();
  await told().waitFor();
  expect(await link.locator("time").getAttribute("tabindex")).toBeNull();
});

it("says no hour of a day by which an issue is due", async () => {
  const { page } = watched;
  mock.rewrite = (answer) =>
    "items" in answer && Array.isArray(answer.items)
      ? { ...answer, items: answer.items.map((one) => ({ ...one, due: "2026-12-01" })) }
      : answer;
  await page.goto("/a/acc/r/latest/issues?columns=severity,title,due");
  await page.locator(`header time[datetime="${AT}"]`).hover();
  await told().waitFor();
  await page.locator('time[datetime="2026-12-01"]').first().hover();
  await expect.poll(() => note().isVisible()).toBe(false);
});

it.each([25, -25])("takes the time from the service when the reader's clock is %d hours away", async (hours) => {
  const { page } = watched;
  mock.assessments = [assessment({ ageSeconds: 200 })];
  await page.clock.install({ time: Date.now() + hours * 3_600_000 });
  await page.goto("/a/acc");
  await page.locator("header").getByText("3 minutes ago").waitFor();
});

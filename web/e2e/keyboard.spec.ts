import { expect, it } from "vitest";
import { assessment, job } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.assessments = [assessment({ number: 2 })];
  for (const finding of mock.assessments[0]?.findings.slice(0, 9) ?? []) finding.remediable = true;
});

/** What has the focus and lies under something else, pressed through by the Tab key. */
async function hidden(presses: number): Promise<string[]> {
  const found: string[] = [];
  for (let n = 0; n < presses; n++) {
    await watched.page.keyboard.press("Tab");
    const covered = await watched.page.evaluate(
      () =>
        new Promise<string>((done) =>
          requestAnimationFrame(() => {
            const one = document.activeElement;
            const { left, top, width, height } = one?.getBoundingClientRect() ?? new DOMRect();
            const there = document.elementFromPoint(left + width / 2, top + height / 2);
            done(!one || one === document.body || one.contains(there) ? "" : `${one.outerHTML.slice(0, 80)}`);
          }),
        ),
    );
    if (covered !== "") found.push(covered);
  }
  return found;
}

it.each([
  [1280, 420],
  [320, 640],
])("hides no focus behind the bar of a plan at %i × %i", async (width, height) => {
  await watched.page.setViewportSize({ width, height });
  await watched.page.goto("/a/acc/r/latest/remediation");
  await watched.page.getByText(/\d findings with a remedy/).waitFor();
  await watched.page.getByRole("combobox", { name: "Zone" }).focus();
  expect(await hidden(14)).toEqual([]);
});

it("leads the focus to no head of a table that is shown as a list", async () => {
  await watched.page.setViewportSize({ width: 320, height: 640 });
  await watched.page.goto("/a/acc/r/latest/issues");
  await watched.page.getByRole("table", { name: "Issues" }).getByRole("link").first().waitFor();
  expect(await watched.page.locator("thead button").count()).toBe(0);
});

it("selects rows by space, with those between by shift, and tells which are selected", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/findings");
  await page.getByRole("grid", { name: "Findings" }).focus();
  const selected = () => page.locator('[role="row"][aria-selected="true"]').count();
  expect(await selected()).toBe(0);
  const scrolled = await page.evaluate(() => window.scrollY);
  await page.keyboard.press("Space");
  await expect.poll(selected).toBe(1);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  expect(await selected()).toBe(1);
  await page.keyboard.press("Shift+Space");
  await expect.poll(selected).toBe(3);
  expect(await page.evaluate(() => window.scrollY)).toBe(scrolled);
});

it("shows in forced colours which line of a menu and of the suggestions is the one", async () => {
  const { page } = watched;
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto("/a/acc/r/latest/findings");
  await page.getByRole("button", { name: "Group" }).focus();
  await page.keyboard.press("Enter");
  const outlined = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((one) => getComputedStyle(one).outlineStyle);
  await page.locator("[role^=menuitem][data-highlighted]").waitFor();
  expect(await outlined("[role^=menuitem][data-highlighted]")).toBe("solid");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").fill("s");
  await page.keyboard.press("ArrowDown");
  await page.locator('[role=option][aria-selected="true"]').waitFor();
  expect(await outlined('[role=option][aria-selected="true"]')).toBe("solid");
});

it("keeps the focus on a button that its own press switches off", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/findings");
  await page.getByRole("button", { name: "Columns" }).focus();
  await page.keyboard.press("Enter");
  const back = page.getByRole("button", { name: "Move Zone back" });
  await back.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => back.isDisabled()).toBe(true);
  const order = () => page.getByRole("dialog").getByRole("listitem").allTextContents();
  const moved = await order();
  await page.keyboard.press("Enter");
  expect(await order()).toEqual(moved);
  expect(await back.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press("Shift+Tab");
  expect(await back.isDisabled()).toBe(true);
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Move Zone forward");
});

it("closes one thing by Escape, and says when a run ends while another page is shown", async () => {
  mock.jobs = [job(1)];
  const { page } = watched;
  await page.clock.install();
  await page.goto("/a/acc/r/latest/issues");
  const tray = page.locator("header details");
  await tray.getByText("1 run at work").click();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^Page, account/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await tray.getAttribute("open")).toBe("");
  await page.keyboard.press("Escape");
  await expect.poll(() => tray.getAttribute("open")).toBeNull();
  mock.finish(mock.jobs[0]?.id ?? "", assessment({ number: 3 }));
  await page.clock.runFor(11_000);
  await page.getByText("The run of northwind has ended.").waitFor({ state: "attached" });
  await page.getByText("A newer assessment is there.").waitFor();
});

it("keeps the focus in a table that is drawn anew", async () => {
  const { page } = watched;
  await page.goto("/");
  const box = page.getByRole("table", { name: "Accounts" }).getByRole("row").nth(1).getByRole("checkbox");
  await box.focus();
  await page.keyboard.press("Space");
  await expect.poll(() => box.isChecked()).toBe(true);
  expect(await box.evaluate((one) => one === document.activeElement)).toBe(true);
});

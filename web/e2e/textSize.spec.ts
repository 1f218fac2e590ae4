import { expect, it } from "vitest";
import { account, assessment } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.accounts = [account()];
  mock.assessments = [assessment({ findings: 60 })];
});

it.each(["/", "/a/acc", "/a/acc/r/latest/issues", "/a/acc/r/latest/findings", "/accounts/new"])(
  "is read at twice the size of text: %s",
  async (path) => {
    const { page } = watched;
    const session = await page.context().newCDPSession(page);
    await session.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const size = await page.evaluate(() => getComputedStyle(document.body).fontSize);
    expect(size).toBe("26px");
    const { wide, window: within } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      window: document.documentElement.clientWidth,
    }));
    expect(wide).toBeLessThanOrEqual(within);
  },
);

it.each([1400, 600])("keeps every row of findings as high as its text, %i pixels wide", async (width) => {
  const { page } = watched;
  await page.setViewportSize({ width, height: 900 });
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
  await page.goto("/a/acc/r/latest/findings");
  const rows = page.getByRole("grid").locator('[role="row"][aria-rowindex]:not([aria-rowindex="1"])');
  await rows.first().waitFor();
  const outside = await rows.evaluateAll((all) =>
    all.flatMap((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return [...row.children]
        .filter((cell) => getComputedStyle(cell).position !== "absolute")
        .map((cell) => cell.getBoundingClientRect())
        .filter((cell) => cell.top < top || cell.bottom > bottom);
    }),
  );
  expect(outside).toEqual([]);
});

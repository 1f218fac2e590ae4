import { expect, it } from "vitest";
import { account, assessment } from "./fixtures/account.ts";
import { some } from "./fixtures/some.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.accounts = [account()];
  mock.assessments = [assessment({ findings: 60 })];
});

it.each(some(2, ["/", "/a/acc", "/a/acc/r/latest/issues", "/a/acc/r/latest/findings", "/accounts/new"]))(
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

it.each(["issues", "findings"])(
  "has room for %s where twice the size of text leaves none for columns",
  async (list) => {
    const { page } = watched;
    await page.setViewportSize({ width: 1024, height: 800 });
    const session = await page.context().newCDPSession(page);
    await session.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
    await page.goto(`/a/acc/r/latest/${list}`);
    await page
      .getByText(/^[1-9]\d* (issues|findings)$/)
      .last()
      .waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1024);
  },
);

it("is read on 320 pixels with an account of a long name", async () => {
  const { page } = watched;
  mock.accounts = [account({ name: "A company whose name nobody ever typed twice, of many words".repeat(2) })];
  await page.setViewportSize({ width: 320, height: 800 });
  await page.goto("/a/acc/r/latest/issues");
  await page.getByRole("button", { name: /^Account: A company/ }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

it("breaks the long id of a note on 320 pixels", async () => {
  const { page } = watched;
  await page.setViewportSize({ width: 320, height: 800 });
  await page.goto(`/schedules?edit=${"0123456789abcdef".repeat(4)}`);
  await page.getByText("There is no schedule").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

it.each(["light", "dark"] as const)(
  "has text and lines of more contrast for who asks for it, %s",
  async (colorScheme) => {
    const { page } = watched;
    await page.goto("/a/acc");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const token = (name: string) =>
      page.evaluate((name) => {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style.color = `var(${name})`;
        const shown = getComputedStyle(probe).color;
        probe.remove();
        return shown;
      }, name);
    const light = (colour: string) => {
      const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map((value) => {
        const share = Number(value) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = async (name: string) => {
      const [a, b] = [light(await token(name)), light(await token("--surface"))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    await page.emulateMedia({ colorScheme, contrast: "no-preference" });
    expect(await contrast("--line")).toBeLessThan(3);
    await page.emulateMedia({ colorScheme, contrast: "more" });
    expect(await contrast("--muted")).toBeGreaterThan(7);
    expect(await contrast("--line")).toBeGreaterThan(3);
    expect(await contrast("--edge")).toBeGreaterThan(4.5);
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

it.each([
  ["a low window", 1280, 400, 16],
  ["text of twice the size", 1900, 800, 32],
])("shows each entry of the sidebar that gets the focus, in %s", async (_, width, height, standard) => {
  const { page } = watched;
  await page.setViewportSize({ width, height });
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setFontSizes", { fontSizes: { standard } });
  await page.goto("/a/acc/r/latest/findings");
  await page.getByRole("grid").waitFor();
  const entries = page.getByRole("navigation", { name: "Main" }).locator("a, button");
  expect(await entries.count()).toBeGreaterThan(10);
  for (const entry of await entries.all()) {
    await entry.focus();
    const { top, bottom } = await entry.evaluate((one) => one.getBoundingClientRect().toJSON());
    expect(top).toBeGreaterThanOrEqual(0);
    expect(bottom).toBeLessThanOrEqual(height);
  }
});

it("has whole ids of checks where a window of 1280 pixels is enlarged to 400 %", async () => {
  const { page } = watched;
  mock.assessments = [assessment({ findings: 60, gaps: true })];
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/a/acc/r/latest/findings");
  await page.getByRole("grid").getByText("Not assessed").first().waitFor();
  const cut = await page
    .getByRole("grid")
    .getByRole("link", { name: /^CFL-/ })
    .evaluateAll((all) =>
      all.map((one) => one.parentElement).filter((cell) => cell && cell.scrollWidth > cell.clientWidth),
    );
  expect(cut).toEqual([]);
});

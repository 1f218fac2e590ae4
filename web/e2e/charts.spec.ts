import { expect, it } from "vitest";
import { assessment } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

const DAY = 86_400;
/** Newest first: whole, whole, without a grade, of a part of the account, whole, whole. */
const SCORES = [80, 75, 40, 95, 60, 55];

stage(() => {
  mock.assessments = SCORES.map((value, i) => {
    const made = assessment({
      number: SCORES.length - i,
      ageSeconds: 60 + i * DAY,
      findings: 70 + 10 * i,
      gaps: i === 2,
      grade: i === 2 ? null : "C",
    });
    return { ...made, profile: i === 3 ? "core" : "full", score: { ...made.score, value } };
  });
});

const panel = (name: string) => watched.page.getByRole("region", { name });
const cellsOf = async (name: string) => {
  await panel(name).getByText("Show as table").click();
  const rows = await panel(name).getByRole("row").all();
  return Promise.all(rows.slice(1).map(async (row) => (await row.getByRole("cell").allTextContents()).slice(1)));
};
const figures = (name: string) => panel(name).getByRole("img");

it("has the figures of each chart in a table", async () => {
  await watched.page.goto("/a/acc");
  await figures("Score over time").waitFor();
  expect((await cellsOf("Score over time")).map(([score]) => score)).toEqual(SCORES.map(String));
  const counts = mock.assessments.map(({ summary }) => [
    ...["critical", "high", "medium", "low", "informational"].map((one) => String(summary.bySeverity[one])),
    String(summary.unknown),
  ]);
  expect(await cellsOf("Findings over time")).toEqual(counts);
  const categories = Object.values(mock.assessments[0]?.score.byCategory ?? {}).map(({ value }) => value);
  expect((await cellsOf("By category")).map((cells) => Number(cells[2]))).toEqual(categories.sort((x, y) => x - y));
});

it("draws a run that does not compare hollow, and no line to it", async () => {
  await watched.page.goto("/a/acc");
  await figures("Score over time").waitFor();
  const svg = panel("Score over time").locator("figure svg").first();
  expect(await svg.locator("circle[data-hollow=false]").count()).toBe(4);
  expect(await svg.locator("circle[data-hollow=true]").count()).toBe(2);
  // Two stretches of two runs each: one step and no more.
  const lines = await svg.locator(".visx-linepath").evaluateAll((all) => all.map((one) => one.getAttribute("d")));
  expect(lines.map((line) => line?.match(/[LC]/g)?.length)).toEqual([1, 1]);
  expect(await figures("Score over time").getAttribute("aria-label")).toBe(
    "Score of 4 runs: first 55, lowest 55, highest 80, newest 80. 2 runs do not compare.",
  );
  await panel("Score over time")
    .getByText("Hollow: a run that does not compare (a part of the account, or too little could be judged).")
    .waitFor();
  const columns = panel("Findings over time").locator("figure svg").first();
  expect(await columns.locator("rect[data-hollow=true]").count()).toBe(11);
});

it("is read run by run with the arrow keys", async () => {
  await watched.page.goto("/a/acc");
  await figures("Score over time").waitFor();
  const slider = panel("Score over time").getByRole("slider");
  await slider.focus();
  const told = () => slider.getAttribute("aria-valuetext");
  const note = panel("Score over time").locator("figure div[aria-hidden]");
  await expect.poll(told).toMatch(/, Score 80$/);
  await note.getByText("80").waitFor();
  await watched.page.keyboard.press("ArrowLeft");
  await watched.page.keyboard.press("ArrowLeft");
  await expect.poll(told).toMatch(/, Score 40, does not compare: too little could be judged$/);
  await watched.page.keyboard.press("Home");
  await expect.poll(told).toMatch(/, Score 55$/);
  await watched.page.keyboard.press("Escape");
  await expect.poll(() => note.count()).toBe(0);
});

it("shows the run under the pointer, and keeps the one under a finger", async () => {
  await watched.page.goto("/a/acc");
  await figures("Score over time").waitFor();
  const plot = panel("Score over time").locator("figure > div").first();
  const note = plot.locator("div[aria-hidden]");
  const box = await plot.boundingBox();
  await plot.hover({ position: { x: (box?.width ?? 0) - 16, y: 60 } });
  await note.getByText("80").waitFor();
  await watched.page.mouse.move(0, 0);
  await expect.poll(() => note.count()).toBe(0);
  const touch = { pointerType: "touch", isPrimary: true, clientX: (box?.x ?? 0) + 45, clientY: (box?.y ?? 0) + 60 };
  await plot.dispatchEvent("pointerdown", touch);
  await plot.dispatchEvent("pointerout", touch);
  await note.getByText("55", { exact: true }).waitFor();
  await watched.page.locator("h1").click();
});

it("keeps the figures where the drawing cannot be loaded", async () => {
  await watched.page.route("**/drawings-*.js", (route) => route.abort());
  await watched.page.goto("/a/acc");
  await panel("Score over time").getByText("its figures are in the table").waitFor();
  expect(await cellsOf("Score over time")).toHaveLength(SCORES.length);
});

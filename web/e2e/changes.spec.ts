import { expect, it } from "vitest";
import { assessment, problem, uuid } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.assessments = [
    { ...assessment({ number: 3, gaps: true }), score: { ...assessment().score, value: 80 } },
    assessment({ number: 2, ageSeconds: 90_000 }),
    { ...assessment({ number: 1, ageSeconds: 180_000 }), score: { ...assessment().score, value: 60 } },
  ];
});

const panel = (name: string) => watched.page.getByRole("region", { name });
const at = () => watched.page.url().slice(mock.url.length);
const changes = () => panel("What changed since the last run");

it("draws the scores of the runs, and says them in words and as a table", async () => {
  await watched.page.goto("/a/acc");
  await panel("Score over time")
    .getByRole("img", { name: "Score of 3 runs: first 60, lowest 60, highest 80, newest 80." })
    .waitFor();
  await panel("Score over time").getByText("Show as table").click();
  const rows = panel("Score over time").getByRole("row");
  await expect.poll(() => rows.count()).toBe(4);
  expect(await rows.nth(1).textContent()).toContain("80");
  await rows.nth(3).getByRole("link").click();
  await expect.poll(at).toBe(`/a/acc/r/${uuid(1)}/findings`);
});

it("counts what is new, regressed and resolved since the run before, each with the list behind it", async () => {
  await watched.page.goto("/a/acc");
  for (const [name, address] of [
    ["1 New", `?from=${uuid(2)}&to=${uuid(3)}&only=worse`],
    ["1 Regressed", `?from=${uuid(2)}&to=${uuid(3)}&only=worse`],
    ["1 Resolved", `?from=${uuid(2)}&to=${uuid(3)}`],
  ] as const) {
    expect(await changes().getByRole("link", { name }).getAttribute("href")).toBe(`/a/acc/drift${address}`);
  }
  await changes().getByText("(+6)").waitFor();
});

it("compares whole runs only, and says that the newest was not one", async () => {
  for (const made of mock.assessments.slice(0, 1)) made.profile = "core";
  await watched.page.goto("/a/acc");
  await changes().getByText("The newest run was of a part of the account").waitFor();
  await changes().getByText("(+14)").waitFor();
  await expect
    .poll(() => mock.log.filter((line) => line.startsWith("POST /api/diff")))
    .toEqual([`POST /api/diff {"baselineId":"${uuid(1)}","currentId":"${uuid(2)}"}`]);
  await panel("Score over time").getByText("Hollow: a run that does not compare (a part of the account).").waitFor();
  await panel("Score over time").getByText("Show as table").click();
  await panel("Score over time").getByRole("cell", { name: "(a part of the account)" }).waitFor();
});

it("says that there is one run, and that only one was whole, instead of that nothing changed", async () => {
  mock.assessments = mock.assessments.slice(0, 2);
  for (const made of mock.assessments.slice(0, 1)) made.profile = "core";
  await watched.page.goto("/a/acc");
  await changes().getByText("Nothing compares yet").waitFor();
  mock.assessments = mock.assessments.slice(0, 1);
  await watched.page.reload();
  await changes().getByText("There is only this run so far").waitFor();
  await panel("Score over time").getByText("The trend appears after the second assessment").waitFor();
});

it("never turns what could not be loaded into a zero", async () => {
  mock.failing.set("/api/diff", problem(503, { detail: "Busy." }));
  mock.failing.set(`/api/assessments/${uuid(3)}/paths`, problem(503, { detail: "No paths." }));
  await watched.page.goto("/a/acc");
  await changes().getByText("The runs could not be compared.").waitFor();
  expect(await changes().getByRole("listitem").count()).toBe(0);
  await panel("Attack paths").getByText("No paths.").waitFor();
  mock.failing.clear();
  await changes().getByRole("button", { name: "Try again" }).click();
  await changes().getByRole("link", { name: "1 Resolved" }).waitFor();
});

it("names the worst attack paths and the one change that breaks most of them", async () => {
  await watched.page.goto("/a/acc");
  const top = panel("Attack paths");
  await top.getByRole("link", { name: "3 of 3" }).waitFor();
  expect(await top.getByRole("row").count()).toBe(4);
  // By key: what is still to come above it moves it from under a pointer.
  await top.getByRole("row").nth(1).getByRole("link").press("Enter");
  await expect.poll(at).toContain(`/a/acc/r/${uuid(3)}/paths/ap%3A`);
});

it("asks for no graph where there is no path, and says what that is worth", async () => {
  for (const made of mock.assessments.slice(0, 1)) made.attackPaths = 0;
  await watched.page.goto("/a/acc");
  await panel("Attack paths").getByText("None in what could be read.").waitFor();
  expect(mock.log.filter((line) => /\/(posture|paths)/.test(line))).toEqual([]);
});

it("leads from every number to the list behind it", async () => {
  await watched.page.goto("/a/acc");
  await changes().getByRole("link", { name: "1 New" }).waitFor();
  await panel("Attack paths").getByRole("link", { name: "3 of 3" }).waitFor();
  const loose = await watched.page.evaluate(() => {
    const out: string[] = [];
    const texts = document.createTreeWalker(document.querySelector("main") as HTMLElement, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (!/^\s*\d[\d,]*\s*$/.test(node.textContent ?? "") || !parent?.checkVisibility()) continue;
      // A share, an age, a date or a line of a chart, whose table has the links, is not a count of anything.
      if (parent.closest("a, time, figure svg")) continue;
      out.push(parent.outerHTML.slice(0, 80));
    }
    return out;
  });
  expect(loose).toEqual([]);
});

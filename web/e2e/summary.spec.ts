import { expect, it } from "vitest";
import { assessment, problem, uuid } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

const DAY = 86_400;
/** How many days before the newest run each was, newest first. */
const DAYS = [0, 1, 6, 12, 30];

stage(() => {
  mock.assessments = DAYS.map((days, i) =>
    assessment({ number: DAYS.length - i, ageSeconds: 60 + days * DAY, gaps: i === 0 }),
  );
});

const ADDRESS = "/a/acc/r/latest/summary";
const panel = (name: string) => watched.page.getByRole("region", { name, exact: true });
const bases = () =>
  mock.log
    .filter((line) => line.startsWith("POST /api/diff"))
    .map((line) => /"baselineId":"([^"]*)"/.exec(line)?.[1])
    .sort();

it("is reached from the overview and beside the reports", async () => {
  const { page } = watched;
  await page.goto("/a/acc");
  await page.getByRole("link", { name: "Executive summary" }).click();
  await page.getByRole("heading", { level: 1, name: "Executive summary" }).waitFor();
  await page.goto("/a/acc/r/latest/exports");
  await page.getByRole("main").getByRole("link", { name: "Executive summary" }).click();
  await panel("How it was measured").getByText("2026.03").waitFor();
});

it("names the top three risks, each with what it gives away and what to do", async () => {
  await watched.page.goto(ADDRESS);
  const worst = panel("Top three risks").getByRole("listitem");
  await worst.nth(2).getByText("What an attacker gets").waitFor();
  expect(await worst.count()).toBe(3);
  await worst.first().getByText("Someone on the way may read along.").waitFor();
  await worst.first().getByText("Set SSL/TLS to Full (strict).").waitFor();
});

it("compares with the run before and with that nearest to a week ago", async () => {
  await watched.page.goto(ADDRESS);
  await panel("What changed since the run before").getByRole("link", { name: "1 Resolved" }).waitFor();
  await panel("What changed since last week").getByRole("link", { name: "1 Resolved" }).waitFor();
  await expect.poll(bases).toEqual([uuid(3), uuid(4)]);
});

it("calls nothing last week's that is younger than half of it", async () => {
  mock.assessments = mock.assessments.slice(0, 2);
  await watched.page.goto(ADDRESS);
  await panel("What changed since the run before").getByRole("link", { name: "1 Resolved" }).waitFor();
  await panel("What changed since last week").getByText("No run of the whole account is about a week older.").waitFor();
  await expect.poll(bases).toEqual([uuid(4)]);
});

it("compares an earlier run with those before it, and draws none after it", async () => {
  await watched.page.goto(`/a/acc/r/${uuid(3)}/summary`);
  await panel("What changed since the run before, which is that of last week").getByText("Resolved").waitFor();
  await expect.poll(bases).toEqual([uuid(2)]);
  await panel("Score over time")
    .getByRole("img", { name: /^Score of 3 runs/ })
    .waitFor();
});

it("shows every framework, and the changes that break the paths, without the graph", async () => {
  await watched.page.goto(ADDRESS);
  const compliance = panel("Compliance at a glance");
  const counts = "5 controls: 1 fail, 1 partly met, 1 pass, 1 not assessed, 1 not applicable.";
  const words = ["CIS Controls", "SOC 2", "PCI DSS", "NIST CSF"].map((name) => `${name}, ${counts}`).join(" ");
  await compliance.getByRole("img", { name: words }).waitFor();
  await compliance.getByText("Show as table").click();
  expect(await compliance.getByRole("row").nth(2).getByRole("cell").allTextContents()).toEqual([
    "SOC 2",
    "1",
    "1",
    "1",
    "1",
    "1",
    "5",
    "58",
  ]);
  await panel("Changes that break the most attack paths").getByText("1 change breaks 3 of 3 attack paths.").waitFor();
  expect(mock.log.filter((line) => line.includes("/api/posture"))).toEqual([]);
});

it("says of many paths what one change alone breaks, because they may be the same ones", async () => {
  for (const made of mock.assessments.slice(0, 1)) made.attackPaths = 757;
  await watched.page.goto(ADDRESS);
  await panel("Changes that break the most attack paths").getByText("each alone").waitFor();
  expect(mock.log.filter((line) => /\/paths\?limit=/.test(line)).every((line) => line.includes("limit=1"))).toBe(true);
});

it("says why there is no grade and what could not be read, and never that all is good", async () => {
  mock.assessments = [assessment({ number: 1, findings: 14, gaps: true, grade: null })];
  for (const made of mock.assessments) {
    made.attackPaths = 0;
    made.findings = made.findings.filter(({ result }) => result === "UNKNOWN");
    made.summary = { ...made.summary, fail: 0, warning: 0 };
  }
  await watched.page.goto(ADDRESS);
  await panel("The grade, and why").getByText("No grade").waitFor();
  await panel("The grade, and why")
    .getByText("The grade is withheld: 62 % of what counts could be judged, and a grade needs 80 %.")
    .waitFor();
  const looked = panel("Scope");
  await looked.getByRole("link", { name: "2 results could not be judged" }).waitFor();
  await looked.getByText("2 results: The token lacks Zone: SSL and Certificates Read").waitFor();
  await panel("Top three risks").getByText("the rest was not assessed").waitFor();
  await panel("What changed").getByText("There is no earlier run of the whole account").waitFor();
  await panel("Changes that break the most attack paths").getByText("One may lie in the rest.").waitFor();
});

it("says that a run was of a part of the account", async () => {
  for (const made of mock.assessments.slice(0, 1)) made.profile = "core";
  await watched.page.goto(ADDRESS);
  await panel("Scope").getByText("a part of the account only").waitFor();
});

it("keeps the other parts when some cannot be loaded", async () => {
  mock.failing.set("/api/compliance/pci", problem(503));
  mock.failing.set("/api/diff", problem(503));
  mock.failing.set(`/api/assessments/${uuid(5)}/paths`, problem(503));
  await watched.page.goto(ADDRESS);
  await watched.page.getByText("The controls of PCI DSS could not be loaded.").waitFor();
  await watched.page.getByText("The runs could not be compared.").first().waitFor();
  await watched.page.getByText("The attack paths could not be loaded.").waitFor();
  await panel("Compliance at a glance")
    .getByRole("img", { name: /^CIS Controls, .* NIST CSF, / })
    .waitFor();
  await panel("How it was measured").getByText("2026.03").waitFor();
});

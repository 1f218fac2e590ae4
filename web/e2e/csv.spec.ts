import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { grantAccess } from "./fixtures/access.ts";
import { account, assessment, job } from "./fixtures/account.ts";
import { exceptions } from "./fixtures/findings.ts";
import { auditEntry, auditLog, BUNDLE, operate, PLAN } from "./fixtures/operate.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

const NAME = '=HYPERLINK("https://evil.example")';

stage(() => {
  const run = assessment({ findings: 200 });
  mock.accounts = [account({ name: NAME })];
  mock.assessments = [{ ...run, account: { ...run.account, name: NAME } }];
  mock.exceptions = exceptions();
  mock.jobs = [job(1, { state: "succeeded" }), job(2, { state: "failed" })];
  mock.answers.set("GET /api/audit", () => auditLog({ ...auditEntry(1), actor: "@SUM(A1)" }));
});

/** What the CSV of a page, or of a part of it, holds, line by line. */
async function saved(path: string, ready: string, region?: string): Promise<string[]> {
  const { page } = watched;
  await page.goto(path);
  await page.getByText(ready).first().waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    (region ? page.getByRole("region", { name: region }) : page)
      .getByRole("button", { name: "CSV", exact: true })
      .click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^edgeposture-[a-z0-9-]+\.csv$/);
  return (await readFile((await file.path()) ?? "", "utf8")).trimEnd().split("\r\n");
}

it("saves accounts, exceptions, jobs, the audit log, attack paths and controls, none of it a formula", async () => {
  const fleet = await saved("/", "HYPERLINK");
  expect(fleet).toHaveLength(2);
  expect(fleet[1]).toMatch(/^"'=HYPERLINK\(""https:\/\/evil\.example""\)",acc,/);

  const accepted = await saved("/exceptions", "The old mail system goes in spring.");
  expect(accepted[0]).toBe(
    "state,account,checks,severities,zones,resources,pattern,hides,reason,owner,created,ends,revoked",
  );
  expect(accepted).toHaveLength(4);
  expect(await saved("/exceptions?state=expired", "*.old.example")).toHaveLength(2);

  const jobs = await saved("/jobs", "Succeeded");
  expect(jobs).toHaveLength(3);
  expect(jobs.slice(1).map((line) => line.split(",")[2])).toEqual(["succeeded", "failed"]);

  expect((await saved("/audit", "@SUM(A1)"))[1]).toContain(",'@SUM(A1),");

  const paths = await saved("/a/acc/r/latest/paths", "Hops");
  expect(paths[0]).toBe("id,severity,title,kind,hops,entry,target,fixes,finding_ids");
  expect(paths.length).toBe(
    1 + (await watched.page.getByRole("table", { name: "Attack paths" }).locator("tbody tr").count()),
  );

  const controls = await saved("/a/acc/r/latest/compliance/cis", "Findings that count");
  expect(controls.length).toBe(
    1 +
      (await watched.page.getByRole("table").filter({ hasText: "Findings that count" }).locator("tbody > tr").count()),
  );

  expect((await saved("/assessments", "Completed"))[1]).toContain(`"'=HYPERLINK(`);
  expect(await saved("/a/acc/r/latest/map", "Resources")).toHaveLength(
    Number(await watched.page.getByRole("table", { name: "Resources" }).getAttribute("aria-rowcount")),
  );
  expect((await saved("/checks?q=CFL-SSL-001", "CFL-SSL-001"))[1]).toContain("CFL-SSL-001");
  expect((await saved("/a/acc", "By zone", "By zone")).length).toBeGreaterThan(1);
});

it("saves what changed, what an issue hits, and what charts show", async () => {
  const newest = assessment({ number: 2, findings: 900 });
  const [finding] = newest.findings.filter(({ result }) => result === "FAIL");
  // More than a page of them.
  newest.findings = newest.findings.map((each) => ({ ...each, checkId: finding?.checkId ?? "" }));
  mock.assessments = [newest, assessment({ number: 1, ageSeconds: 90_000 })];
  const hits = await saved(`/a/acc/r/latest/issues/${finding?.checkId}`, "How to fix", "What it hits");
  const open = newest.findings.filter(({ result }) => /FAIL|WARNING/.test(result));
  expect(open.length).toBeGreaterThan(200);
  expect(hits.length).toBe(1 + open.length);

  const changes = await saved("/a/acc/drift", "Became unreadable");
  const listed = await watched.page
    .getByRole("region")
    .getByRole("row")
    .filter({ has: watched.page.locator("td") });
  expect(changes[0]).toMatch(/^change,severity,check_id,title,message,/);
  expect(changes.length).toBe(1 + (await listed.count()));
  expect(new Set(changes.slice(1).map((line) => line.split(",")[0]))).toContain("Resolved");
  await watched.page.getByLabel("Only regressions").check();
  const [worse] = await Promise.all([
    watched.page.waitForEvent("download"),
    watched.page.getByRole("button", { name: "CSV", exact: true }).click(),
  ]);
  expect(await readFile((await worse.path()) ?? "", "utf8")).not.toMatch(/^Resolved,/m);

  const byCategory = await saved("/a/acc", "By category", "By category");
  expect(byCategory.length).toBe(1 + Object.keys(newest.score.byCategory).length);
  await watched.page.getByRole("region", { name: "Score over time" }).getByText("Show as table").click();
  const [scores] = await Promise.all([
    watched.page.waitForEvent("download"),
    watched.page.getByRole("region", { name: "Score over time" }).getByRole("button", { name: "CSV" }).click(),
  ]);
  expect(scores.suggestedFilename()).toBe("edgeposture-score-of-runs.csv");
  expect((await readFile((await scores.path()) ?? "", "utf8")).trimEnd().split("\r\n")).toHaveLength(3);
});

it("saves deliveries, backups, people, teams and service tokens", async () => {
  operate(mock);
  grantAccess(mock);
  const { page } = watched;
  expect((await saved("/siem", "It refused"))[0]).toBe(
    "at,account,target,destination,state,documents,sent,refused,tries,reason,id",
  );
  expect((await saved("/a/acc/backups", "Verified")).length).toBe(
    await page
      .getByRole("table", { name: /^Backups/ })
      .getByRole("row")
      .count(),
  );
  for (const [name, head] of [
    ["People", "name,email,provider,roles,disabled,last_seen"],
    ["Teams", "name,members"],
    ["Service tokens", "name,role,made_by,ends,last_used"],
  ] as const) {
    const lines = await saved("/access", "Platform", name);
    expect(lines[0]).toBe(head);
    expect(lines.length).toBe(await page.getByRole("table", { name, exact: true }).getByRole("row").count());
  }
});

it("saves what lifts the score, a finding's history, permissions, and a plan with what it leaves", async () => {
  operate(mock);
  const lifts = await saved("/a/acc", "What lifts the score", "What lifts the score");
  expect(lifts).toEqual([
    "list,check,title,findings,points",
    "Biggest gain,CFL-SSL-001,,4,3.2",
    "Biggest gain per fix by plan,CFL-SSL-004,,1,1.1",
  ]);

  const [finding] = mock.assessments[0]?.findings ?? [];
  const history = await saved(`/a/acc/r/latest/findings/${finding?.id}`, "newest first");
  expect(history[0]).toBe("at,result,run");
  expect(history).toHaveLength(2);

  const { page } = watched;
  await page.goto("/a/acc/settings");
  await page.getByRole("button", { name: "Check the permissions" }).click();
  const [permissions] = await Promise.all([
    page.waitForEvent("download"),
    page
      .getByRole("region", { name: "Permissions of the token" })
      .getByRole("button", { name: "CSV", exact: true })
      .click(),
  ]);
  expect(await readFile((await permissions.path()) ?? "", "utf8")).toMatch(/^permission,status,group,checks\r\n./);

  const plan = await saved(`/a/acc/r/latest/remediation?plan=${PLAN}`, '"strict"');
  expect(plan[0]).toBe("what,check,resource,object,setting,before,after,request,note");
  expect(plan.slice(1).map((line) => line.split(",")[0])).toEqual(
    expect.arrayContaining(["change", "by hand", "not possible"]),
  );
  const results = await saved(`/a/acc/backups?backup=${BUNDLE}`, "Values before and after", `Backup ${BUNDLE}`);
  expect(results[0]).toBe("result,verified,resource,object,check,request,reason,change");
  expect(results.length).toBeGreaterThan(1);
});

it("tells of a run that did not end well where an account has no assessment", async () => {
  const finishedAt = "2026-11-05T06:00:00Z";
  mock.assessments = [];
  mock.jobs = [job(1, { state: "failed", finishedAt })];
  const [head = "", line = ""] = await saved("/", "failed");
  const at = head.split(",").indexOf("unassessed_run");
  expect(line.split(",").slice(at, at + 2)).toEqual(["failed", finishedAt]);
});

import { expect, it } from "vitest";
import type { PlanDetail } from "../src/api/types";
import { HOSTILE, person, problem, uuid } from "./fixtures/account.ts";
import { BUNDLE, health, operate, PLAN, schedule, settings } from "./fixtures/operate.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

const SCOPE = "an-edit-scope-that-must-not-stay";
const hostile = HOSTILE[0] ?? "";

stage(
  () => {
    operate(mock);
  },
  { permissions: ["clipboard-read", "clipboard-write"] },
);

const sent = (start: string) => mock.log.filter((line) => line.startsWith(start));
/** The body of the newest such call; undefined before it was made. */
const body = (start: string) => {
  const call = sent(start).at(-1);
  return call && JSON.parse(call.replace(/^\S+ \S+ /, ""));
};

it("offers the AI planner only where one is configured, by its name", async () => {
  const { page } = watched;
  const offer = page.getByLabel("Let the AI planner order and annotate it");
  const at = "/a/acc/r/latest/remediation";
  await page.goto(at);
  await page.getByRole("button", { name: "Make a plan" }).waitFor();
  await expect.poll(() => sent("GET /api/settings").length).toBeGreaterThan(0);
  expect(await offer.count()).toBe(0);
  const chosen = { configured: true, source: "settings" as const, hint: null, value: "hosted_a" };
  mock.answers.set("GET /api/settings", () => settings({ settings: { aiProvider: chosen } }));
  await page.goto(at);
  await offer.waitFor();
  await page.goto("/settings");
  await page.getByText("saved here: Anthropic").waitFor();
  expect(await page.getByLabel("Provider").locator("option").allTextContents()).toEqual([
    "No change",
    "none",
    "Anthropic",
    "OpenAI",
    "Ollama",
  ]);
});

it("goes from findings to applied changes in four steps and keeps no secret", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/remediation");
  await page.getByRole("button", { name: "Choose all listed" }).click();
  await page.getByRole("button", { name: "Make a plan" }).click();
  await page.getByRole("list", { name: "Changes" }).getByText('"strict"').first().waitFor();
  await page.getByLabel("CFL-SSL-001: contact").fill('["mailto:x@example.com"]');
  await page.getByRole("button", { name: "Plan again with these values" }).click();
  await expect.poll(() => sent("POST /api/remediate/plan").length).toBe(2);
  expect(body("POST /api/remediate/plan")).toMatchObject({
    checkIds: ["CFL-DNS-009", "CFL-SSL-001", "CFL-SSL-004"],
    inputs: { "CFL-SSL-001": { contact: ["mailto:x@example.com"] } },
  });
  await page.getByText("It would break mail.").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Authorise 2 changes" }).click();
  const apply = page.getByRole("button", { name: "Apply 1 change to Northwind Traders (demo)" }); // not the one of high risk
  expect(await apply.isDisabled()).toBe(true);

  mock.failing.set("/api/remediate/apply", problem(403, { detail: "This scope is not accepted." }));
  await page.getByLabel("Edit scope").fill(SCOPE);
  await page.getByLabel("Type the name of the account").fill("Northwind Traders (demo)");
  await apply.click();
  await page.getByText("This scope is not accepted.").waitFor();
  expect(await page.getByLabel("Edit scope").inputValue()).toBe("");
  expect(await apply.isDisabled()).toBe(true);

  mock.failing.clear();
  await page.getByLabel("Edit scope").fill(SCOPE);
  await page.getByLabel("Type the name of the account").fill("Northwind Traders (demo)");
  await page.getByLabel("Also make 1 change of high risk").check();
  await page.getByRole("button", { name: "Apply 2 changes to Northwind Traders (demo)" }).click();
  await page.getByText("2 of 2 changes applied.").waitFor();
  expect(body("POST /api/remediate/apply")).toMatchObject({
    token: SCOPE,
    planId: PLAN,
    changeIds: ["c0", "c1"],
    force: true,
  });
  const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href]));
  expect(kept).not.toContain(SCOPE);
  expect(await page.content()).not.toContain(SCOPE);
  await page.getByRole("link", { name: "Show it or roll it back" }).click();
  await page.getByRole("heading", { name: `Backup ${BUNDLE}` }).waitFor();
});

it.each([
  ["path=ap%3Aexposed-origin%3Adns%3A1%3A0", "paths"],
  ["least=yes", "cut"],
])("does not say that nothing can be changed when ?%s could not be read", async (query, call) => {
  const { page } = watched;
  mock.failing.set(`/api/assessments/${mock.assessments[0]?.id}/${call}`, problem(500));
  await page.goto(`/a/acc/r/latest/remediation?${query}`);
  await page.getByText("Which changes break the attack paths is not known.").waitFor();
  expect(await page.getByText("Nothing that the service can change").count()).toBe(0);
  mock.failing.clear();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: /^Show all/ }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
});

it("says to a viewer of a plan that it is the role that is missing", async () => {
  const { page } = watched;
  mock.who = person();
  await page.goto(`/a/acc/r/latest/remediation?plan=${PLAN}`);
  await page.getByText("0 of 2 changes chosen. You may not change anything").waitFor();
});

it("makes no schedule while the accounts are not known", async () => {
  const { page } = watched;
  mock.failing.set("/api/accounts", problem(500));
  await page.goto("/schedules?edit=new");
  await page.getByText("The accounts could not be loaded.").waitFor();
  expect(await page.getByRole("button", { name: "Save the schedule" }).count()).toBe(0);
  mock.failing.clear();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Save the schedule" }).waitFor();
});

it("gives a schedule back what the account says", async () => {
  const { page } = watched;
  const one = schedule({ afterRun: { notify: ["chat_a"] } });
  mock.answers.set("GET /api/schedules", () => ({ items: [one], nextCursor: "" }));
  mock.answers.set(`PATCH /api/schedules/${one.id}`, () => one);
  await page.goto(`/schedules?edit=${one.id}`);
  await page.getByLabel("Send something else after each run").uncheck();
  await page.getByRole("button", { name: "Save the schedule" }).click();
  await expect.poll(() => body(`PATCH /api/schedules/${one.id}`)).toMatchObject({ afterRun: {} });
});

it("copies a change for those who make it elsewhere", async () => {
  const { page } = watched;
  await page.goto(`/a/acc/r/latest/remediation?plan=${PLAN}`);
  const change = page.getByRole("list", { name: "Changes" }).getByRole("listitem").first();
  for (const [label, words] of [
    ["API call", "curl"],
    ["Terraform", "cloudflare_"],
    ["Ticket", "**Fix.**"],
  ] as const) {
    await change.getByRole("button", { name: label }).click();
    await change.getByText(`${label}: done`).waitFor({ state: "attached" });
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(words);
  }
  const names = await page
    .getByRole("button", { name: /^(API call|Terraform|Ticket)/ })
    .evaluateAll((all) => all.map(({ textContent }) => textContent));
  // The one that was pressed last says so instead.
  expect(names.length).toBe(5);
  expect(new Set(names).size).toBe(names.length);
});

it("chooses nothing after a reload of the review", async () => {
  await watched.page.goto(`/a/acc/r/latest/remediation?plan=${PLAN}`);
  await watched.page.getByText("0 of 2 changes chosen").waitFor();
  expect(await watched.page.getByRole("button", { name: "Authorise 0 changes" }).isDisabled()).toBe(true);
  await watched.page.getByText(hostile).first().waitFor({ state: "attached" });
});

it("plans only when changes are switched off, and names the variable", async () => {
  mock.answers.set("GET /api/health", () => health("disabled"));
  await watched.page.goto(`/a/acc/r/latest/remediation?plan=${PLAN}`);
  await watched.page.getByText("SERVICE_ALLOW_REMEDIATION=true").waitFor();
  await watched.page.getByRole("button", { name: "Choose all changes" }).click();
  expect(await watched.page.getByRole("button", { name: "Authorise 2 changes" }).isDisabled()).toBe(true);
});

it("offers the approval to everybody who may give it but the one who asked", async () => {
  const { page } = watched;
  mock.who = person({ role: "remediator", grants: [{ role: "remediator" }] });
  const at = `GET /api/remediate/plans/${PLAN}`;
  const planned = mock.answers.get(at)?.("", new URLSearchParams()) as PlanDetail;
  const asked = (actor: string) =>
    mock.answers.set(at, () => ({ ...planned, approval: { required: true }, requestedBy: { actor, kind: "user" } }));
  mock.answers.set(`POST /api/remediate/plans/${PLAN}/approve`, () => ({}));
  const approve = page.getByRole("button", { name: "Approve" });
  asked("user:ada@example.com");
  await page.goto(`/a/acc/r/latest/remediation?plan=${PLAN}`);
  await page.getByText("You asked for it.").waitFor();
  expect(await approve.count()).toBe(0);
  asked("user:bob@example.com");
  await page.reload();
  await page.getByText("user:bob@example.com asked for it.").waitFor();
  await approve.click();
  await expect.poll(() => sent(`POST /api/remediate/plans/${PLAN}/approve`).length).toBe(1);
});

it("says when a plan is gone", async () => {
  await watched.page.goto(`/a/acc/r/latest/remediation?plan=${uuid(404)}`);
  await watched.page.getByText("This plan is not here any more").waitFor();
});

it("rolls a backup back behind the same gate", async () => {
  const { page } = watched;
  await page.goto(`/a/acc/backups?backup=${BUNDLE}`);
  await page.getByLabel("Edit scope").fill(SCOPE);
  await page.getByLabel("Type the name of the account").fill("Northwind Traders (demo)");
  await page.getByRole("button", { name: "Roll back Northwind" }).click();
  await expect.poll(() => sent("POST /api/remediate/rollback").length).toBe(1);
  expect(body("POST /api/remediate/rollback")).toEqual({ token: SCOPE, bundleId: BUNDLE });
  await expect.poll(() => new URL(page.url()).searchParams.get("job")).not.toBeNull();
});

it("registers an account, shows problems at their fields, checks its permissions and says what comes next", async () => {
  const { page } = watched;
  await page.goto("/accounts/new");
  await page.getByRole("button", { name: "Register the account" }).click();
  await page.getByText("Enter the token.").waitFor();
  expect(sent("POST /api/accounts")).toEqual([]);
  await page.getByLabel("Name").fill("contoso");
  await page.getByLabel("API token").fill("t0ken");
  await page.getByLabel("Zones (optional)", { exact: true }).fill("a.example, *.b.example");
  mock.failing.set(
    "/api/accounts",
    problem(409, { detail: "Taken.", errors: [{ location: "body.name", message: "taken" }] }),
  );
  await page.getByRole("button", { name: "Register the account" }).click();
  await page.getByText("taken", { exact: true }).waitFor();
  // Only a token that is refused has to be entered again.
  expect(await page.getByLabel("API token").inputValue()).toBe("t0ken");
  mock.failing.set(
    "/api/accounts",
    problem(422, { detail: "Refused.", errors: [{ location: "body.token", message: "refused" }] }),
  );
  await page.getByRole("button", { name: "Register the account" }).click();
  await page.getByText("refused", { exact: true }).waitFor();
  expect(await page.getByLabel("API token").inputValue()).toBe("");
  mock.failing.clear();
  await page.getByLabel("API token").fill("t0ken");
  await page.getByRole("button", { name: "Register the account" }).click();
  await page.getByRole("heading", { name: "contoso is registered" }).waitFor();
  const steps = page.getByRole("region", { name: "contoso is registered" }).getByRole("listitem");
  await steps.filter({ hasText: "Connect the account (done)" }).waitFor();
  expect(await steps.nth(1).getAttribute("aria-current")).toBe("step");
  expect(body("POST /api/accounts")).toEqual({ name: "contoso", token: "t0ken", zones: ["a.example", "*.b.example"] });
  // What a new token may read is asked at once.
  await page.getByText("1 permission missing.").waitFor();
});

it("changes an account and deletes it by its name only", async () => {
  const { page } = watched;
  await page.goto("/a/acc/settings");
  await page.getByLabel("Threshold", { exact: true }).selectOption("tokenWarnDays");
  await page.getByText("The run's own token that ends within so many days warns.").waitFor();
  await page.getByLabel("Value", { exact: true }).fill("30");
  await page.getByRole("button", { name: "Save the threshold" }).click();
  await page.getByText("Saved.").waitFor();
  expect(body("PATCH /api/accounts")).toEqual({
    policy: { tokenWarnDays: 30 },
    updatedAt: mock.accounts[0]?.updatedAt,
  });
  await page.getByLabel("New token").fill("next");
  await page.getByRole("button", { name: "Replace the token" }).click();
  await expect.poll(() => body("PATCH /api/accounts")).toEqual({ token: "next" });
  expect(await page.getByLabel("New token").inputValue()).toBe("");
  await page.getByRole("button", { name: "Delete the account…" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("button", { name: "Delete the account" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Type northwind").fill("northwind");
  expect(await dialog.getByRole("button", { name: "Delete the account" }).isEnabled()).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(sent("DELETE")).toEqual([]);
});

it("replaces no scope that somebody else saved meanwhile before it was seen", async () => {
  const { page } = watched;
  await page.goto("/a/acc/settings");
  const field = page.getByLabel("Excluded zones");
  const save = page.getByRole("button", { name: "Save name and scope" });
  await field.fill("mine.example");
  const [was] = mock.accounts;
  if (!was) throw new Error("there is no account");
  const now = { ...was, excludeZones: ["theirs.example"], updatedAt: new Date().toISOString() };
  mock.accounts = [now];
  mock.failing.set(`/api/accounts/${was.id}`, problem(409, { code: "conflict", detail: "It was changed." }));
  await save.click();
  await page.getByText("Somebody else saved: theirs.example. Saving replaces it.").waitFor();
  expect(body("PATCH /api/accounts")).toEqual({ excludeZones: ["mine.example"], updatedAt: was.updatedAt });
  expect(await field.inputValue()).toBe("mine.example");
  mock.failing.clear();
  await save.click();
  await page.getByText("Saved.").waitFor();
  expect(body("PATCH /api/accounts")).toEqual({ excludeZones: ["mine.example"], updatedAt: now.updatedAt });
});

it("fetches an export under a name of its own and says when it fails", async () => {
  const { page } = watched;
  mock.answers.set("GET /api/download/sarif", () => ({ version: "2.1.0" }));
  await page.goto("/a/acc/r/latest/exports");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Fetch SARIF 2.1.0" }).click();
  expect((await download).suggestedFilename()).toMatch(/^edgeposture-northwind-traders-demo-\d{4}-\d\d-\d\d\.sarif$/);
  await page.getByText("19 B").waitFor();
  await page.getByRole("button", { name: "Fetch CSV" }).click();
  await page.getByText("The file was not fetched.").waitFor();
});

it("shows a schedule by the clocks of its zone, pauses and adds one", async () => {
  const { page } = watched;
  await page.goto("/schedules");
  await page.getByText("1 Jan 2027, 06:00").waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await expect.poll(() => body("PATCH /api/schedules")).toEqual({ paused: true });
  await page.getByRole("link", { name: "Add a schedule" }).click();
  await page.getByLabel("Times (cron)").fill("0 5 * * *");
  await page.getByLabel("Incremental").check();
  await page.getByRole("button", { name: "Save the schedule" }).click();
  await expect.poll(() => sent("POST /api/schedules").length).toBe(1);
  expect(body("POST /api/schedules")).toMatchObject({ cron: "0 5 * * *", request: { incremental: true } });
});

it("changes what a schedule looks at, and keeps what its form does not show", async () => {
  const { page } = watched;
  const request = {
    zones: ["shop.example"],
    excludeZones: ["old.example"],
    sensitivity: "high" as const,
    note: "night",
  };
  mock.answers.set("GET /api/schedules", () => ({ items: [schedule({ request })], nextCursor: "" }));
  await page.goto("/schedules");
  await page.getByText("looks at zones shop.example; not old.example").waitFor();
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("button", { name: "Options" }).click();
  await page.getByLabel("Zones").fill("shop.example, *.example");
  await page.getByLabel("dns").check();
  await page.getByRole("button", { name: "Save the schedule" }).click();
  await expect.poll(() => body("PATCH /api/schedules")).toBeDefined();
  expect(body("PATCH /api/schedules").request).toEqual({
    ...request,
    zones: ["shop.example", "*.example"],
    categories: ["dns"],
    incremental: false,
  });
});

it("lists jobs by state and shows one", async () => {
  const { page } = watched;
  await page.goto("/jobs");
  await page.getByRole("link", { name: "failed 1" }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("?state=failed");
  await page.getByRole("cell", { name: `It refused ${hostile}.` }).waitFor();
  await page.getByRole("table").getByRole("link", { name: "Assessment" }).click();
  await page.getByRole("button", { name: "Retry" }).waitFor();
  await page.goto(`/jobs/${uuid(404)}`);
  await page.getByText("This job is not here").waitFor();
});

it("saves settings, and asks before unsaved ones are lost", async () => {
  const { page } = watched;
  await page.goto("/settings");
  await page.getByText("…cdef").waitFor();
  await page.getByRole("button", { name: "Clear Address" }).click();
  await page.getByLabel("Token").fill("hec");
  await page.getByRole("link", { name: "Jobs" }).click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save 2 changes" }).click();
  await page.getByText("Saved.").waitFor();
  expect(body("PUT /api/settings")).toEqual({ searchUrl: "", hecToken: "hec" });
  await page.getByLabel("Token").fill("other");
  await page.getByRole("link", { name: "Jobs" }).click();
  await page.getByRole("button", { name: "Leave", exact: true }).click();
  await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
  expect(sent("PUT /api/settings")).toHaveLength(1);
});

it("shows the payload before anything is sent, and replays what failed", async () => {
  const { page } = watched;
  await page.goto("/siem");
  await page.getByRole("button", { name: "Dry run: show the payload" }).click();
  await page.getByText("Nothing was sent. 72 documents.").waitFor();
  expect(body("POST /api/integrations/ship")).toEqual({ target: "search", dryRun: true });
  await page.getByRole("button", { name: "Send now" }).click();
  await expect.poll(() => body("POST /api/integrations/ship")).toEqual({ target: "search", dryRun: false });
  await page.getByRole("button", { name: "Replay the delivery to Elasticsearch or OpenSearch" }).click();
  await expect.poll(() => sent("POST /api/deliveries").length).toBe(1);
  await page.goto("/notifications");
  await page.getByLabel("Webhook").check();
  await page.getByRole("button", { name: "Dry run: show the payload" }).click();
  await page.getByText("1 message would go out.").waitFor();
  expect(body("POST /api/notify")).toMatchObject({ dryRun: true, channels: ["webhook"] });
});

it("connects an integration on its card, and tries one that is connected", async () => {
  const { page } = watched;
  await page.goto("/integrations");
  const card = (name: string) => page.getByRole("region", { name });
  await card("Elasticsearch or OpenSearch")
    .getByText(/^Last delivery failed .*It refused/)
    .waitFor();
  expect(await page.getByText("Not connected").count()).toBeGreaterThan(1);
  await page.getByRole("button", { name: "Connect Splunk" }).click();
  await card("Splunk").getByLabel("Address").fill("https://splunk.example");
  await card("Splunk").getByLabel("Token").fill("hec");
  await card("Splunk").getByRole("button", { name: "Save" }).click();
  await expect.poll(() => body("PUT /api/settings")).toEqual({ hecUrl: "https://splunk.example", hecToken: "hec" });
  await card("GitHub Issues").getByText("One ticket for an issue").waitFor();
  await page.getByRole("button", { name: "Connect GitHub Issues" }).click();
  await card("GitHub Issues").getByLabel("Repository, as owner/name").waitFor();
  await card("AWS Security Hub").getByText("Every finding in ASFF").waitFor();
  await card("Elasticsearch or OpenSearch").getByRole("button", { name: "Send the latest result" }).click();
  await card("Elasticsearch or OpenSearch").getByText("72 documents sent.").waitFor();
  expect(body("POST /api/integrations/ship")).toEqual({ target: "search" });
});

it.each([
  ["/siem", "Send now", "POST /api/integrations/ship"],
  ["/a/acc", "Run assessment", "POST /api/assess"],
])("takes a double click on %s for one wish", async (route, name, call) => {
  const { page } = watched;
  await page.goto(route);
  const button = page.getByRole("button", { name, disabled: false });
  const press = async (clickCount: number) => {
    await button.hover();
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
  };
  const answered = page.waitForResponse((response) => response.url().endsWith(call.replace("POST ", "")));
  await press(1);
  await (await answered).finished();
  await press(2);
  await page.evaluate(() => fetch("/api/health").then((answer) => answer.text()));
  expect(sent(call)).toHaveLength(1);
});

it("keeps the name of a button legible under the pointer that pressed it, while it waits", async () => {
  const { page } = watched;
  await page.goto("/a/acc");
  const run = page.getByRole("button", { name: "Run assessment" });
  await run.waitFor();
  const fill = () => run.evaluate((button) => getComputedStyle(button).backgroundColor);
  const before = await fill();
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route("**/api/assess", async (route) => {
    await held;
    await route.abort();
  });
  await run.click();
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe("true");
  expect(await fill()).toBe(before);
  release();
  await page.getByRole("alert").waitFor();
});

it("does not say of an account that was deleted that its token was sent for one run", async () => {
  mock.accounts = [];
  await watched.page.goto("/a/acc");
  await watched.page.getByText("or the account was deleted here").waitFor();
});

it("calls the service healthy no longer than a page that cannot reach it", async () => {
  const { page } = watched;
  await page.goto("/jobs");
  await page.getByText("Healthy").waitFor();
  await page.route("**/api/**", (route) => route.abort());
  await page.getByRole("link", { name: "Schedules", exact: true }).click();
  await page.getByText("The schedules could not be loaded.").waitFor();
  await page.getByRole("banner").getByText("The service cannot be reached").waitFor({ timeout: 3_000 });
  await page.unroute("**/api/**");
  await page.getByRole("banner").getByText("Healthy").waitFor({ timeout: 15_000 });
});

it("says that the service is away when a page is not loaded yet, and shows the page when it is back", async () => {
  const { page } = watched;
  await page.goto("/jobs");
  await page.getByRole("table").waitFor();
  await page.route("**", (route) => route.abort());
  await page.getByRole("link", { name: "Schedules", exact: true }).click();
  await page.getByText("This page could not be shown.").waitFor();
  await page.getByText("The service cannot be reached").first().waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("This page comes back when it does.").waitFor();
  await page.unroute("**");
  await page.getByText("Next five times").first().waitFor();
  watched.complaints.length = 0; // the browser notes code that did not come
});

it("shows the audit log and verifies its chain", async () => {
  await watched.page.goto("/audit");
  await watched.page.getByRole("cell", { name: hostile }).first().waitFor();
  await watched.page.getByRole("button", { name: "Verify the chain" }).click();
  await watched.page.getByText("2:abc").waitFor();
});

it("says that a list could not be loaded for as long as that is so, also while it asks again", async () => {
  const { page } = watched;
  const says = "The store does not answer.";
  mock.failing.set("/api/jobs", problem(503, { detail: says }));
  await page.clock.install();
  for (const address of ["/jobs", "/a/acc"]) {
    await page.goto(address);
    await page.getByText(says).first().waitFor();
    await page.evaluate((says) => {
      new MutationObserver(() => {
        if (!document.body.textContent.includes(says)) document.title = "It is gone";
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    }, says);
    const asked = sent("GET /api/jobs").length;
    await expect
      .poll(async () => {
        await page.clock.fastForward(5_000);
        return sent("GET /api/jobs").length;
      })
      .toBeGreaterThan(asked + 2);
    expect(await page.title()).not.toBe("It is gone");
  }
  mock.failing.clear();
  await expect
    .poll(async () => {
      await page.clock.fastForward(5_000);
      return page.getByText(says).count();
    })
    .toBe(0);
});

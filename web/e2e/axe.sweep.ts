import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { launch, openPage } from "./browser.ts";
import { grantAccess } from "./fixtures/access.ts";
import { assessment, job, person, problem, uuid } from "./fixtures/account.ts";
import { fillInbox, keepAlerts } from "./fixtures/alerts.ts";
import { COLOURS, TAGS, violations } from "./fixtures/axe.ts";
import { exceptions } from "./fixtures/findings.ts";
import { emptyDrift, posture } from "./fixtures/graph.ts";
import { Mock } from "./fixtures/mock.ts";
import { BUNDLE, operate, PLAN } from "./fixtures/operate.ts";

let browser: Browser;
let mock: Mock;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  mock = await Mock.start();
});
afterEach(() => mock.stop());

const filled = () => {
  mock.assessments = [assessment({ number: 2, gaps: true }), assessment({ ageSeconds: 90_000, grade: null })];
  mock.jobs = [
    job(1, { progress: { phase: "collect", done: 5, total: 10, unit: "read", requests: 5, waitingSeconds: 3 } }),
    job(2, { state: "queued" }),
  ];
};
const failing = () => mock.failing.set("/api/", problem(503));
const operated = () => {
  operate(mock);
  grantAccess(mock);
  keepAlerts(mock);
};
const refused = () => mock.failing.set("/api/", problem(403, { code: "forbidden" }));
const seenByViewer = () => {
  operated();
  mock.who = person();
};
const failed = () => {
  operate(mock);
  mock.answers.clear();
  mock.failing.set("/api/", problem(503));
};
const shows = (text: string) => (page: Page) => page.getByText(text).first().waitFor();
const finding = () => mock.assessments[0]?.findings[0]?.id;

/** Every route in every state: what to prepare, where to go, and what shows that the state is there. */
const STATES: [string, () => void, () => string, (page: Page) => Promise<unknown>][] = [
  ["fleet, filled", filled, () => "/", (page) => page.getByText("at work").waitFor()],
  [
    "fleet, empty",
    () => {
      mock.accounts = [];
    },
    () => "/",
    (page) => page.getByText("No account yet").waitFor(),
  ],
  ["fleet, error", failing, () => "/", (page) => page.getByText("could not be loaded").waitFor()],
  [
    "run tray",
    filled,
    () => "/",
    async (page) => {
      await page.getByText("at work").click();
      await page.getByRole("progressbar").first().waitFor();
    },
  ],
  ["overview, filled", filled, () => "/a/acc", (page) => page.getByText("By category").waitFor()],
  ["overview, empty", () => {}, () => "/a/acc", (page) => page.getByText("No assessment yet").waitFor()],
  ["overview, error", failing, () => "/a/acc", (page) => page.getByText("could not be loaded").waitFor()],
  [
    "overview, failed run and options",
    () => {
      mock.jobs = [job(1, { state: "failed", error: { code: "internal", detail: "It broke." } })];
    },
    () => "/a/acc",
    async (page) => {
      await page.getByText("It broke.").waitFor();
      await page.getByText("Options").click();
      await page.getByLabel("dns", { exact: true }).waitFor();
    },
  ],
  [
    "overview, key prompt",
    () => {
      mock.key = "k";
    },
    () => "/a/acc",
    (page) => page.getByRole("dialog").waitFor(),
  ],
  [
    "overview, charts as tables",
    () => {
      filled();
      for (const made of mock.assessments.slice(0, 1)) made.profile = "core";
    },
    () => "/a/acc",
    async (page) => {
      await page.getByRole("img", { name: /^Open findings of/ }).waitFor();
      for (const one of await page.getByText("Show as table").all()) await one.click();
      await page.getByText("(a part of the account)").first().waitFor();
      await page.getByText("One change breaks").waitFor();
    },
  ],
  [
    "palette, found and not all asked",
    () => {
      filled();
      mock.failing.set("/api/checks", problem(503));
    },
    () => "/a/acc",
    async (page) => {
      await page.getByText("By category").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Page, account/ }).fill("shop");
      await page.getByRole("group", { name: "Findings" }).waitFor();
      await page.getByText("Not everything could be searched.").waitFor();
    },
  ],
  [
    "palette, nothing",
    filled,
    () => "/a/acc",
    async (page) => {
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("combobox", { name: /^Page, account/ }).fill("zzz");
      await page.getByText("Nothing matches.").waitFor();
    },
  ],
  [
    "shortcuts",
    filled,
    () => "/",
    async (page) => {
      await page.getByText("at work").waitFor();
      await page.keyboard.press("?");
      await page.getByLabel("Single keys do this").waitFor();
    },
  ],
  ["findings, filled", filled, () => "/a/acc/r/latest/findings", (page) => page.getByRole("grid").waitFor()],
  [
    "findings, empty",
    filled,
    () => "/a/acc/r/latest/findings?q=zzz",
    (page) => page.getByText("No finding matches").waitFor(),
  ],
  [
    "findings, error",
    failing,
    () => "/a/acc/r/latest/findings",
    (page) => page.getByText("could not be loaded").waitFor(),
  ],
  [
    "findings, none yet",
    () => {},
    () => "/a/acc/r/latest/findings",
    (page) => page.getByText("No assessment yet").waitFor(),
  ],
  [
    "findings, gone",
    filled,
    () => `/a/acc/r/${uuid(404)}/findings`,
    (page) => page.getByText("No such assessment").waitFor(),
  ],
  [
    "findings, drawer open",
    filled,
    () => `/a/acc/r/${uuid(2)}/findings?finding=${finding()}`,
    (page) => page.getByRole("dialog").getByText("RFC 6797").waitFor(),
  ],
  [
    "findings, grouped and views open",
    filled,
    () => "/a/acc/r/latest/findings?group=zone&in=shop.example",
    async (page) => {
      await page.getByRole("grid").waitFor();
      await page.getByRole("button", { name: "Views" }).click();
      await page.getByText("None yet.").waitFor();
    },
  ],
  [
    "findings, filtered, sorted, a filter open",
    filled,
    () =>
      "/a/acc/r/latest/findings?severity=critical,high&zone=shop.example&sort=zone&columns=severity,zone,message,seen",
    async (page) => {
      await page.getByRole("grid").waitFor();
      await page.getByRole("button", { name: "Add filter" }).click();
      await page.getByRole("menuitem", { name: /^Severity/ }).click();
      await page.getByRole("menuitemcheckbox").first().waitFor();
    },
  ],
  [
    "findings, suggestions open",
    filled,
    () => "/a/acc/r/latest/findings",
    async (page) => {
      await page.getByLabel("Fields and text to filter by").fill("sev:");
      await page.getByRole("option").first().waitFor();
    },
  ],
  [
    "findings, columns open",
    filled,
    () => "/a/acc/r/latest/findings",
    async (page) => {
      await page.getByRole("grid").waitFor();
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("list", { name: "Columns in their order" }).waitFor();
    },
  ],
  [
    "findings, query not understood",
    filled,
    () => "/a/acc/r/latest/findings",
    async (page) => {
      await page.getByLabel("Fields and text to filter by").fill("a:b");
      await page.getByText("Not applied yet.").waitFor();
    },
  ],
  [
    "findings, accept dialog",
    filled,
    () => "/a/acc/r/latest/findings",
    async (page) => {
      await page.getByRole("grid").getByRole("checkbox").nth(1).click();
      await page.getByRole("button", { name: "Accept…" }).click();
      await page.getByText(/^Hides \d+ finding/).waitFor();
    },
  ],
  ["finding page, filled", filled, () => `/a/acc/r/latest/findings/${finding()}`, shows("RFC 6797")],
  ["finding page, gone", filled, () => `/a/acc/r/latest/findings/${"f".repeat(32)}`, shows("No such finding here")],
  [
    "finding page, error",
    () => {
      filled();
      mock.failing.set("/api/findings", problem(503));
    },
    () => `/a/acc/r/latest/findings/${finding()}`,
    shows("could not be loaded"),
  ],
  ["all findings, filled", filled, () => "/findings", (page) => page.getByRole("grid").waitFor()],
  ["all findings, empty", () => {}, () => "/findings", shows("No open finding")],
  ["all findings, error", failing, () => "/findings", shows("The findings could not be loaded")],
  [
    "inbox, filled",
    () => {
      filled();
      fillInbox(mock);
    },
    () => "/inbox",
    shows("We wait for the new origin."),
  ],
  ["inbox, empty", () => {}, () => "/inbox", shows("Nothing concerns you yet")],
  ["inbox, error", failing, () => "/inbox", shows("The inbox could not be loaded")],
  [
    "exceptions, filled and new",
    () => {
      filled();
      mock.exceptions = exceptions();
    },
    () => "/exceptions?edit=new",
    async (page) => {
      await page.getByText("edge team").waitFor();
      await page.getByLabel("Checks").fill("CFL-SSL-001");
      await page.getByRole("button", { name: "Show what it hides" }).click();
      await page.getByText(/^Hides \d+ finding/).waitFor();
    },
  ],
  ["exceptions, empty", () => {}, () => "/exceptions", shows("No exception yet")],
  ["exceptions, error", failing, () => "/exceptions", shows("The exceptions could not be loaded")],
  ["assessments, filled", filled, () => "/assessments", (page) => page.getByRole("table").waitFor()],
  ["assessments, empty", () => {}, () => "/assessments", (page) => page.getByText("No assessment yet").waitFor()],
  ["assessments, error", failing, () => "/assessments", (page) => page.getByText("could not be loaded").waitFor()],
  [
    "explain, two",
    operated,
    () => "/a/acc/r/latest/explain?url=shop.example%2Fadmin&other=shop.example",
    shows("Instead of"),
  ],
  [
    "what if",
    operated,
    () => "/a/acc/r/latest/what-if?method=PATCH&path=%2Fzones%2F1%2Fsettings%2Fssl&body=%7B%22value%22%3A1%7D",
    shows("Not known"),
  ],
  ["remediation, select", operated, () => "/a/acc/r/latest/remediation", shows("CFL-SSL-001")],
  [
    "remediation, none",
    () => {
      mock.assessments = [assessment({ number: 2 })];
    },
    () => "/a/acc/r/latest/remediation",
    shows("Nothing to change here"),
  ],
  ["remediation, review", operated, () => `/a/acc/r/latest/remediation?plan=${PLAN}`, shows('"strict"')],
  [
    "remediation, authorise",
    operated,
    () => `/a/acc/r/latest/remediation?plan=${PLAN}`,
    async (page) => {
      await page.getByRole("button", { name: "Choose all changes" }).click();
      await page.getByRole("button", { name: "Authorise 2 changes" }).click();
      await page.getByLabel("Edit scope").waitFor();
    },
  ],
  ["backups, one open", operated, () => `/a/acc/backups?backup=${BUNDLE}`, shows("Roll back")],
  ["backups, error", failed, () => "/a/acc/backups", shows("could not be loaded")],
  [
    "new account, refused",
    operated,
    () => "/accounts/new",
    async (page) => {
      await page.getByRole("button", { name: "Register the account" }).click();
      await page.getByText("Enter the token.").waitFor();
    },
  ],
  [
    "account settings, filled",
    operated,
    () => "/a/acc/settings",
    async (page) => {
      await page.getByRole("button", { name: "Check the permissions" }).click();
      await page.getByText("1 permission missing.").waitFor();
    },
  ],
  [
    "account settings, delete",
    operated,
    () => "/a/acc/settings",
    async (page) => {
      await page.getByRole("button", { name: "Delete the account…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  ],
  ["account settings, error", failed, () => "/a/acc/settings", shows("could not be loaded")],
  ["exports", operated, () => "/a/acc/r/latest/exports", shows("Evidence bundle")],
  [
    "summary, filled",
    filled,
    () => "/a/acc/r/latest/summary",
    async (page) => {
      await page.getByRole("img", { name: /^CIS Controls, 5 controls/ }).waitFor();
      await page.getByText("What an attacker gets").first().waitFor();
      for (const one of await page.getByText("Show as table").all()) await one.click();
    },
  ],
  [
    "summary, grade withheld and parts failing",
    () => {
      mock.assessments = [assessment({ number: 2, gaps: true, grade: null })];
      mock.failing.set("/api/compliance/pci", problem(503));
      mock.failing.set("/api/trends", problem(503));
      mock.failing.set(`/api/assessments/${uuid(2)}/paths`, problem(503));
    },
    () => "/a/acc/r/latest/summary",
    async (page) => {
      await page.getByText("The grade is withheld").waitFor();
      await page.getByText("The controls of PCI DSS could not be loaded.").waitFor();
      await page.getByText("The runs before could not be loaded.").waitFor();
    },
  ],
  ["schedules, filled and new", operated, () => "/schedules?edit=new", shows("Next five times")],
  ["schedules, empty", () => {}, () => "/schedules", shows("No schedule yet")],
  ["schedules, error", failed, () => "/schedules", shows("could not be loaded")],
  ["jobs, filled", operated, () => "/jobs", shows("It refused")],
  ["jobs, empty", () => {}, () => "/jobs", shows("No job yet")],
  ["jobs, error", failed, () => "/jobs", shows("could not be loaded")],
  ["job, failed", operated, () => `/jobs/${uuid(2001)}`, shows("What happened")],
  ["settings, filled", operated, () => "/settings", shows("this browser")],
  ["settings, error", failed, () => "/settings", shows("could not be loaded")],
  [
    "siem, payload",
    operated,
    () => "/siem",
    async (page) => {
      await page.getByRole("button", { name: "Dry run: show the payload" }).click();
      await page.getByText("Nothing was sent.").waitFor();
    },
  ],
  [
    "integrations, connecting",
    operated,
    () => "/integrations",
    async (page) => {
      await page.getByRole("button", { name: "Connect Splunk" }).click();
      await page.getByRole("form", { name: "Connect Splunk" }).waitFor();
    },
  ],
  ["integrations, error", failed, () => "/integrations", shows("could not be loaded")],
  ["notifications, filled and new", operated, () => "/notifications?edit=new", shows("no_service")],
  [
    "notifications, an own address and quiet hours",
    operated,
    () => "/notifications?edit=new",
    async (page) => {
      await page.getByLabel("Channel", { exact: true }).selectOption("webhook");
      await page.getByLabel("Address", { exact: true }).selectOption("own");
      await page.getByLabel("When", { exact: true }).selectOption("daily");
      await page.getByLabel("Quiet hours").check();
      await page.getByLabel("Quiet until").waitFor();
    },
  ],
  ["notifications, of a viewer", seenByViewer, () => "/notifications", shows("no_service")],
  ["notifications, refused", refused, () => "/notifications", shows("No permission")],
  ["notifications, no rule", () => {}, () => "/notifications", shows("No alert rule yet")],
  ["siem, error", failed, () => "/siem", shows("could not be loaded")],
  ["audit, filled", operated, () => "/audit", shows("settings.change")],
  ["access, filled", operated, () => "/access", shows("Platform")],
  ["access, error", failed, () => "/access", shows("The people could not be loaded.")],
  ["access, refused", refused, () => "/access", shows("No permission")],
  [
    "access, adding a person",
    operated,
    () => "/access",
    async (page) => {
      await page.getByRole("button", { name: "Add a person" }).click();
      await page.getByLabel("Accounts", { exact: true }).selectOption("some");
      await page.getByLabel("northwind").waitFor();
    },
  ],
  [
    "access, token made",
    operated,
    () => "/access",
    async (page) => {
      await page.getByRole("button", { name: "New token" }).click();
      await page.getByLabel("Name").fill("ci");
      await page.getByRole("button", { name: "Make the token" }).click();
      await page.getByText("eps_only-once").waitFor();
    },
  ],
  ["ownership, empty", () => {}, () => "/ownership", shows("No rule yet")],
  ["ownership, error", failed, () => "/ownership", shows("could not be loaded")],
  ["ownership, of a viewer", seenByViewer, () => "/ownership", shows("Platform owns critical issues")],
  [
    "ownership, overtaken",
    operated,
    () => "/ownership",
    async (page) => {
      await page.getByLabel("Critical", { exact: true }).fill("3");
      mock.ownership = { ...mock.ownership, revision: 9 };
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("What somebody else saved meanwhile").waitFor();
    },
  ],
  ["account settings, of a viewer", seenByViewer, () => "/a/acc/settings", shows("takes the role operator")],
  [
    "overview, of a viewer, who is signed in",
    seenByViewer,
    () => "/a/acc",
    async (page) => {
      await page.getByRole("button", { name: "Ada, viewer" }).click();
      await page.getByText("Sign out").waitFor();
    },
  ],
  [
    "sign in",
    () => {
      mock.key = "k";
      mock.signIn = {
        providers: [{ name: "okta", url: "/auth/login?provider=okta" }],
        password: true,
        passkeys: true,
        key: true,
      };
    },
    () => "/a/acc?signInProblem=It+did+not+work.",
    async (page) => {
      await page.getByText("Use the API key").click();
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Enter the email address and the password.").waitFor();
    },
  ],
  ["audit, error", failed, () => "/audit", shows("could not be loaded")],
  ["about", operated, () => "/about", shows("Licences")],
  ["paths, filled", filled, () => "/a/acc/r/latest/paths", (page) => page.getByRole("table").waitFor()],
  [
    "paths, none",
    () => {
      filled();
      mock.graph = { ...posture([], uuid(2)), attackPaths: [] };
    },
    () => "/a/acc/r/latest/paths",
    (page) => page.getByText("No attack path").waitFor(),
  ],
  [
    "paths, error",
    () => {
      filled();
      mock.failing.set(`/api/assessments/${mock.assessments[0]?.id}/paths`, problem(503));
    },
    () => "/a/acc/r/latest/paths",
    (page) => page.getByText("could not be loaded").waitFor(),
  ],
  [
    "path, filled",
    filled,
    () => `/a/acc/r/latest/paths/${encodeURIComponent("ap:exposed-origin:dns:1:0")}`,
    (page) => page.getByText("Each of these alone").waitFor(),
  ],
  [
    "path, gone",
    filled,
    () => "/a/acc/r/latest/paths/ap:none",
    (page) => page.getByText("No such attack path").waitFor(),
  ],
  ["map, filled", filled, () => "/a/acc/r/latest/map", (page) => page.getByRole("table").waitFor()],
  [
    "map, flow of a zone",
    filled,
    () => "/a/acc/r/latest/map?zone=1",
    (page) => page.getByRole("region", { name: "Flow of" }).waitFor(),
  ],
  [
    "map, suggestions",
    filled,
    () => "/a/acc/r/latest/map",
    async (page) => {
      await page.getByRole("combobox", { name: "Search in the resources" }).fill("shop");
      await page.getByRole("option").first().waitFor();
    },
  ],
  [
    "map, resource and path",
    filled,
    () => "/a/acc/r/latest/map?node=dns:1:0&path=ap:exposed-origin:dns:1:0",
    (page) => page.getByText("All paths through it").waitFor(),
  ],
  [
    "map, compared, near a resource",
    filled,
    () => "/a/acc/r/latest/map?node=account:acc&against=before",
    (page) => page.getByText("with new or regressed findings").waitFor(),
  ],
  [
    "map, compared",
    filled,
    () => "/a/acc/r/latest/map?against=before",
    (page) => page.getByText("with new or regressed findings").waitFor(),
  ],
  [
    "map, not compared",
    () => {
      filled();
      mock.failing.set("/api/diff", problem(503));
    },
    () => "/a/acc/r/latest/map?against=before",
    (page) => page.getByText("could not be compared").waitFor(),
  ],
  [
    "map, empty by filter",
    filled,
    () => "/a/acc/r/latest/map?q=zzz",
    (page) => page.getByText("No resource matches").waitFor(),
  ],
  [
    "map, error",
    () => {
      filled();
      mock.failing.set("/api/posture", problem(503));
    },
    () => "/a/acc/r/latest/map",
    (page) => page.getByText("could not be loaded").waitFor(),
  ],
  [
    "drift, filled",
    filled,
    () => "/a/acc/drift",
    (page) => page.getByText("Resolved", { exact: true }).first().waitFor(),
  ],
  [
    "drift, same",
    () => {
      filled();
      mock.drift = emptyDrift();
    },
    () => "/a/acc/drift",
    (page) => page.getByText("Nothing changed").waitFor(),
  ],
  ["drift, empty", () => {}, () => "/a/acc/drift", (page) => page.getByText("No assessment yet").waitFor()],
  ["drift, error", failing, () => "/a/acc/drift", (page) => page.getByText("could not be loaded").waitFor()],
  [
    "compliance, filled",
    filled,
    () => "/a/acc/r/latest/compliance/cis",
    (page) => page.getByText("Encrypt at rest").waitFor(),
  ],
  [
    "compliance, empty by filter",
    filled,
    () => "/a/acc/r/latest/compliance/cis?q=zzz",
    (page) => page.getByText("No control matches").waitFor(),
  ],
  [
    "compliance, unknown framework",
    filled,
    () => "/a/acc/r/latest/compliance/iso",
    (page) => page.getByText("No such framework").waitFor(),
  ],
  [
    "compliance, error",
    () => {
      filled();
      mock.failing.set("/api/compliance", problem(503));
    },
    () => "/a/acc/r/latest/compliance/cis",
    (page) => page.getByText("could not be loaded").waitFor(),
  ],
  [
    "issues, filled",
    filled,
    () => "/a/acc/r/latest/issues",
    (page) => page.getByText("On no attack path.").first().waitFor(),
  ],
  [
    "issues, filtered, orders open",
    filled,
    () => "/a/acc/r/latest/issues?severity=critical,high&new=7&sort=resources",
    async (page) => {
      await page.getByRole("button", { name: "Remove the filter New: Since last week" }).waitFor();
      await page.getByRole("button", { name: /^Sort/ }).click();
      await page.getByRole("menuitemradio").first().waitFor();
    },
  ],
  [
    "issues, empty by filter",
    filled,
    () => "/a/acc/r/latest/issues?q=zzz",
    (page) => page.getByText("No issue fits").waitFor(),
  ],
  [
    "issues, error",
    () => {
      filled();
      mock.failing.set(`/api/assessments/${mock.assessments[0]?.id}/issues`, problem(503));
    },
    () => "/a/acc/r/latest/issues",
    (page) => page.getByText("could not be loaded").waitFor(),
  ],
  [
    "issues, menu of the runs open",
    filled,
    () => "/a/acc/r/latest/issues",
    async (page) => {
      await page.getByRole("button", { name: /^Latest run/ }).click();
      await page.getByRole("menuitemradio").first().waitFor();
    },
  ],
  [
    "issue, filled",
    filled,
    () => "/a/acc/r/latest/issues/CFL-SSL-001",
    (page) => page.getByRole("heading", { name: /^How to fix/ }).waitFor(),
  ],
  [
    "issue, gone",
    filled,
    () => "/a/acc/r/latest/issues/CFL-NONE-001",
    (page) => page.getByText("This run has no check CFL-NONE-001").waitFor(),
  ],
  ["checks, one open", filled, () => "/checks", (page) => page.locator("main summary").first().click()],
  [
    "menu, settings open",
    filled,
    () => "/a/acc",
    async (page) => {
      await page.getByText("What to do first").waitFor();
      await page.getByRole("button", { name: "Settings" }).click();
      await page.getByRole("link", { name: "Audit log" }).waitFor();
    },
  ],
  ["no such page", () => {}, () => "/nowhere", (page) => page.getByText("No such page").waitFor()],
];

it.each(STATES)("%s", async (_, prepare, path, ready) => {
  prepare();
  const { page, close } = await openPage(browser, mock.url, { colorScheme: "light", bypassCSP: true });
  await page.goto(path());
  await ready(page);
  const light = await violations(page, TAGS);
  // The dark theme has the same elements in other colours.
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await violations(page, COLOURS);
  await close();
  expect({ light, dark }).toEqual({ light: [], dark: [] });
});

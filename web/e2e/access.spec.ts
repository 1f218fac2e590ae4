import { describe, expect, it } from "vitest";
import { grantAccess, somebody } from "./fixtures/access.ts";
import { ACCOUNT, account, assessment, identity, job, person, problem, uuid } from "./fixtures/account.ts";
import { hostileNames } from "./fixtures/hostileNames.ts";
import { operate } from "./fixtures/operate.ts";
import { furnish } from "./fixtures/routes.ts";
import { some } from "./fixtures/some.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";
import { typeWhereFocusIs } from "./fixtures/tabbing.ts";

const CONTOSO = uuid(901);

stage(() => {
  furnish(mock);
  const contoso = account({ id: CONTOSO, name: "contoso", providerId: "acc2", labels: ["production"], default: false });
  mock.accounts = [...mock.accounts, contoso];
});

const part = (name: string) => watched.page.getByRole("region", { name, exact: true });
const dialog = () => watched.page.getByRole("dialog");
const row = (name: string) => watched.page.getByRole("row").filter({ hasText: name });
const sent = (call: string) => {
  const line = mock.log.find((each) => each.startsWith(call));
  return JSON.parse(line?.slice(line.indexOf("{")) ?? "null");
};

describe("people", () => {
  it("are added for one account, changed, disabled and deleted", async () => {
    const { page } = watched;
    await page.goto("/access");
    await part("People").getByRole("button", { name: "Add a person" }).click();
    await dialog().getByLabel("Name").fill("Grace Hopper");
    await dialog().getByLabel("Email address").fill("grace@example.com");
    await dialog().getByLabel("Password").fill("correct horse battery");
    await dialog().getByLabel("Role").selectOption("operator");
    await dialog().getByText("runs, schedules and delivers too").waitFor();
    await dialog().getByLabel("Accounts", { exact: true }).selectOption("some");
    await dialog().getByRole("button", { name: "Add the person" }).click();
    await dialog().getByText("Choose an account or type a label.").waitFor();
    await dialog().getByLabel("contoso").check();
    await dialog().getByRole("button", { name: "Add the person" }).click();
    await row("Grace Hopper").getByText("operator for contoso").waitFor();
    expect(sent("POST /api/users")).toEqual({
      name: "Grace Hopper",
      email: "grace@example.com",
      password: "correct horse battery",
      grants: [{ role: "operator", accounts: [CONTOSO] }],
    });

    await row("Grace Hopper").getByRole("button", { name: "Change Grace Hopper" }).click();
    await dialog().getByRole("button", { name: "Add another role" }).click();
    const second = dialog().getByRole("group", { name: "May do, 2 of 2" });
    await second.getByLabel("Accounts", { exact: true }).selectOption("some");
    await second.getByLabel("Labels").fill("production, eu");
    await dialog().getByRole("button", { name: "Save" }).click();
    await row("Grace Hopper").getByText("viewer for accounts labelled production, accounts labelled eu").waitFor();

    await row("Grace Hopper").getByRole("button", { name: "Disable Grace Hopper" }).click();
    await dialog().getByText("their sessions end at once").waitFor();
    await dialog().getByRole("button", { name: "Disable" }).click();
    await row("Grace Hopper").getByText("disabled", { exact: true }).waitFor();
    await row("Grace Hopper").getByRole("button", { name: "Enable Grace Hopper" }).click();
    await row("Grace Hopper").getByText("disabled", { exact: true }).waitFor({ state: "detached" });

    await row("Grace Hopper").getByRole("button", { name: "Delete Grace Hopper" }).click();
    await dialog().getByRole("button", { name: "Delete the person" }).click();
    await row("Grace Hopper").waitFor({ state: "detached" });
  });

  it("are invited by a link that is shown once, and again", async () => {
    const { page } = watched;
    await page.goto("/access");
    await part("People").getByRole("button", { name: "Add a person" }).click();
    await dialog().getByLabel("Name").fill("Grace Hopper");
    await dialog().getByLabel("Email address").fill("grace@example.com");
    await dialog().getByText("Leave it empty for an invitation link").waitFor();
    await dialog().getByRole("button", { name: "Add the person" }).click();
    await page.getByText("Send Grace Hopper this link now: it is not shown again.").waitFor();
    await page.getByText(`${new URL(page.url()).origin}/welcome#first-link`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Copy the link" }).waitFor();
    expect(sent("POST /api/users")).toEqual({
      name: "Grace Hopper",
      email: "grace@example.com",
      grants: [{ role: "viewer" }],
    });
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.getByText("/welcome#").count()).toBe(0);

    const again = { id: uuid(8012), name: "Grace Hopper", invitation: "/welcome#second-link" };
    mock.answers.set(`POST /api/users/${again.id}/invite`, () => again);
    await page.getByRole("button", { name: "Invite again: Grace Hopper" }).click();
    await dialog().getByText("Their password and passkeys stop working").waitFor();
    await dialog().getByRole("button", { name: "Make the link" }).click();
    await page.getByText("/welcome#second-link").waitFor();
  });

  it("are refused with words beside the field, and what was typed stays", async () => {
    const { page } = watched;
    await page.goto("/access");
    await part("People").getByRole("button", { name: "Add a person" }).click();
    await dialog().getByLabel("Name").fill("Grace");
    await dialog().getByLabel("Email address").fill("grace@example.com");
    await dialog().getByLabel("Password").fill("correct horse battery");
    const errors = [{ location: "body.password", message: "is on lists of stolen passwords" }];
    mock.failing.set("/api/users", problem(422, { errors }));
    await page.keyboard.press("Enter");
    await dialog().getByText("is on lists of stolen passwords").waitFor();
    expect(await dialog().getByLabel("Name").inputValue()).toBe("Grace");
  });

  it("are changed only as they were read, and as they are now at the next try", async () => {
    const { page } = watched;
    const at = "/api/users";
    let ada = somebody();
    mock.answers.set(`GET ${at}`, () => ({ items: [ada], nextCursor: "" }));
    mock.answers.set(`PATCH ${at}/${ada.id}`, () => ada);
    await page.goto("/access");
    await page.getByRole("button", { name: "Change Ada Lovelace" }).click();
    ada = somebody({ grants: [{ role: "viewer" }], revision: "second" });
    mock.failing.set(`${at}/${ada.id}`, problem(409, { detail: "The person was changed meanwhile." }));
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("The person was changed meanwhile.").waitFor();
    expect(sent(`PATCH ${at}`)).toMatchObject({ revision: "first", grants: [{ role: "administrator" }] });
    mock.failing.clear();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await row("Ada Lovelace").getByText("viewer").waitFor();
    await page.getByRole("button", { name: "Change Ada Lovelace" }).click();
    mock.log.length = 0;
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().waitFor({ state: "detached" });
    expect(sent(`PATCH ${at}`)).toMatchObject({ revision: "second", grants: [{ role: "viewer" }] });
  });

  it("do not lock themselves out, and those of a provider keep what it says", async () => {
    const { page } = watched;
    mock.who = person({ role: "administrator", grants: [{ role: "administrator" }] });
    await page.goto("/access");
    await row("Ada Lovelace").getByText("you", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: /^(Disable|Delete) Ada/ }).count()).toBe(0);
    const eve = part("People").getByRole("row").filter({ hasText: "https://login.example" });
    expect(await eve.getByRole("button").allTextContents()).toEqual(["Disable…", "Delete…"]);
  });

  it("are many, hostile, text, and found", async () => {
    const { page } = watched;
    const names = hostileNames().slice(0, 120);
    const grants = [{ role: "viewer" as const, labels: names.slice(0, 3) }];
    grantAccess(
      mock,
      names.map((name, n) => somebody({ id: uuid(9000 + n), name, email: `p${n}@example.com`, grants })),
    );
    await page.goto("/access");
    await part("People").getByRole("row").nth(50).waitFor();
    expect(await part("People").locator("td script, td img, td iframe, td style").count()).toBe(0);
    await part("People")
      .getByRole("button", { name: /^Show \d+ more of \d+ rows/ })
      .click();
    await part("People").getByRole("searchbox").fill("p117@");
    await part("People").getByText("1 of 120").waitFor();
    await part("People").getByText("p117@example.com").waitFor();
  });
});

describe("service tokens", () => {
  it("are shown once, and gone after a reload; and are revoked", async () => {
    const { page } = watched;
    await page.goto("/access");
    await part("Service tokens").getByRole("button", { name: "New token" }).click();
    await dialog().getByLabel("Name").fill("ci");
    await dialog().getByLabel("Role").selectOption("analyst");
    await dialog().getByRole("button", { name: "Make the token" }).click();
    await page.getByText("Copy the token of ci now: it is not shown again.").waitFor();
    await page.getByText("eps_only-once").waitFor();
    await page.getByRole("button", { name: "Copy the token" }).waitFor();
    const body = sent("POST /api/service-tokens");
    expect(body).toMatchObject({ name: "ci", role: "analyst" });
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now() + 80 * 86_400_000);
    await page.reload();
    await row("ci").first().waitFor();
    expect(await page.getByText("eps_only-once").count()).toBe(0);
    await page.getByRole("button", { name: "Revoke ci" }).click();
    await dialog().getByRole("button", { name: "Revoke the token" }).click();
    await page.getByRole("button", { name: "Revoke ci" }).waitFor({ state: "detached" });
  });
});

describe("teams", () => {
  it("are made with members, changed and deleted by the keys alone", async () => {
    const { page } = watched;
    await page.goto("/access");
    await part("Teams").getByRole("button", { name: "New team" }).press("Enter");
    await typeWhereFocusIs(page, "Name", "Edge");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await row("Edge").getByText("Ada Lovelace").waitFor();
    expect(sent("POST /api/teams")).toEqual({ name: "Edge", members: [uuid(8000)] });
    await page.getByRole("button", { name: "Change Edge" }).press("Enter");
    await dialog().getByLabel("Ada Lovelace").press("Space");
    await page.keyboard.press("Enter");
    await row("Edge").getByText("nobody").waitFor();
    // A key that is held asks; it does not answer.
    await page.getByRole("button", { name: "Delete Edge" }).focus();
    await page.keyboard.down("Enter");
    const yes = dialog().getByRole("button", { name: "Delete the team" });
    await expect.poll(() => yes.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    expect(mock.log.filter((call) => call.startsWith("DELETE "))).toEqual([]);
    await dialog().getByRole("button", { name: "Delete the team" }).press("Enter");
    await row("Edge").waitFor({ state: "detached" });
  });
});

describe("labels", () => {
  it("are edited on the page of the account", async () => {
    const { page } = watched;
    await page.goto("/a/acc/settings");
    await page.getByLabel("Labels").fill("production, eu");
    await page.getByRole("button", { name: "Save name and scope" }).click();
    await page.getByText("Saved.").waitFor();
    expect(sent(`PATCH /api/accounts/${ACCOUNT}`)).toEqual({
      labels: ["production", "eu"],
      updatedAt: expect.any(String),
    });
  });

  it("stay as somebody else set them when another field is saved", async () => {
    const { page } = watched;
    mock.accounts = [account({ labels: ["production"], zones: ["shop.example"] })];
    await page.goto("/a/acc/settings");
    await page.getByLabel("Labels").waitFor();
    mock.accounts = [account({ labels: [], zones: ["shop.example"] })];
    await page.getByLabel("Excluded zones").fill("old.example");
    await page.getByRole("button", { name: "Save name and scope" }).click();
    await page.getByText("Saved.").waitFor();
    expect(sent(`PATCH /api/accounts/${ACCOUNT}`)).toEqual({
      excludeZones: ["old.example"],
      updatedAt: expect.any(String),
    });
    await expect.poll(() => page.getByLabel("Labels").inputValue()).toBe("");
  });

  it("are left to those who look after all accounts", async () => {
    const { page } = watched;
    mock.who = person({ role: "operator", grants: [{ role: "operator", accounts: [ACCOUNT] }] });
    await page.goto("/a/acc/settings");
    await page.getByLabel("Labels").waitFor();
    await expect.poll(() => page.getByLabel("Labels").isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Save name and scope" }).click();
    await page.getByText("Saved.").waitFor();
    expect(sent(`PATCH /api/accounts/${ACCOUNT}`)).toEqual({ updatedAt: expect.any(String) });
  });
});

describe("a viewer", () => {
  /** Until it is known who is there, everything is offered. */
  const known = () => watched.page.getByRole("button", { name: /^Ada, / }).waitFor();
  const absent = async (names: RegExp) => {
    const { page } = watched;
    await known();
    expect(await page.getByRole("button", { name: names, disabled: false }).allTextContents()).toEqual([]);
    expect(await page.locator("main").getByRole("link", { name: names }).allTextContents()).toEqual([]);
  };

  it.each(
    some(3, [
      ["/", "Northwind Traders", /^(Run|Assess|Add an account)/],
      ["/a/acc", "What to do first", /^(Run assessment|Cancel|Retry|Fix)/],
      ["/a/acc/r/latest/issues", "On no attack path.", /^Fix/],
      ["/a/acc/r/latest/remediation", "Planning and making changes takes the role remediator", /^Make a plan/],
      [
        "/a/acc/r/latest/issues/CFL-SSL-001",
        "Deciding and commenting takes the role analyst",
        /^(Save|Add comment|Create a ticket)/,
      ],
      ["/exceptions?edit=new", "Accepting risks takes the role analyst", /^(New exception|Revoke|Save|Show what)/],
      ["/schedules?edit=new", "Changing schedules takes the role operator", /^(Add|Run now|Save)/],
      ["/a/acc/backups", "Taking changes back takes the role remediator", /^Roll back/],
      ["/a/acc/settings", "Changing the settings takes the role operator", /^(Save|Replace|Delete)/],
      ["/exceptions", "edge team", /^(New exception|Revoke)/],
      ["/schedules", "Next five times", /^(Add|Run now|Pause|Edit|Delete)/],
      [`/jobs/${uuid(2001)}`, "What happened", /^(Cancel|Retry)/],
      ["/siem", "It refused", /^(Send now|Dry run|Replay)/],
      ["/accounts/new", "Adding an account takes the role operator for all accounts", /^Register/],
    ]),
  )("is offered nothing on %s that the role does not include", async (route, text, names) => {
    mock.who = person();
    await watched.page.goto(route);
    await watched.page.getByText(text).first().waitFor();
    await absent(names);
  });

  it("accepts no risk", async () => {
    const { page } = watched;
    mock.who = person();
    const id = mock.assessments[0]?.findings[0]?.id;
    await page.goto(`/a/acc/r/latest/findings/${id}`);
    await page.getByText("Evidence").first().waitFor();
    await absent(/^(Accept|Plan this fix)/);
    await page.goto("/a/acc/r/latest/findings");
    await page.getByRole("grid").getByRole("checkbox").nth(1).check();
    await page.getByRole("region", { name: "Selected findings" }).waitFor();
    await absent(/^Accept/);
  });

  it("reads the settings as an operator, and who is signed in", async () => {
    const { page } = watched;
    mock.who = person({ role: "operator", grants: [{ role: "operator" }] });
    await page.goto("/settings");
    await page.getByText("Changing the settings takes the role administrator for all accounts.").waitFor();
    expect(await page.getByLabel("Token", { exact: true }).isDisabled()).toBe(true);
    await page.getByText("this browser").waitFor();
    await page.goto("/integrations");
    await page.getByText("Last delivery").first().waitFor();
    await absent(/^(Connect|Change)/);
  });

  it("has no link to what is not for them, and reads why where a call is refused", async () => {
    const { page } = watched;
    mock.who = person();
    const detail = "This needs the role administrator, and yours is viewer; ask an administrator for it.";
    for (const call of ["users", "service-tokens", "teams", "audit"]) {
      mock.failing.set(`/api/${call}`, problem(403, { code: "forbidden", detail }));
    }
    await page.goto("/audit");
    await page.getByText("No permission").waitFor();
    await page.getByText(detail).waitFor();
    await known();
    expect(await page.locator("main").getByRole("button").count()).toBe(0);
    // Open already where the page was drawn before it was known who is there.
    const settings = page.getByRole("button", { name: "Settings" });
    if ((await settings.getAttribute("aria-expanded")) === "false") await settings.click();
    const menu = page.getByRole("navigation", { name: "Main" });
    await menu.getByRole("link", { name: "About" }).waitFor();
    for (const name of ["Access", "Audit log", "Service settings", "Integrations"]) {
      expect(await menu.getByRole("link", { name, exact: true }).count()).toBe(0);
    }
    await page.goto("/access");
    await page.getByText("No permission").nth(2).waitFor();
    await known();
    expect(await page.locator("main").getByRole("button").count()).toBe(0);
  });

  it("runs the accounts that a second role is for", async () => {
    const { page } = watched;
    mock.jobs = [job(1, { account: CONTOSO, state: "succeeded" })];
    mock.who = person({ role: "operator", grants: [{ role: "viewer" }, { role: "operator", labels: ["production"] }] });
    await page.goto("/");
    await expect.poll(() => page.getByLabel("Choose northwind").isDisabled()).toBe(true);
    await page.getByLabel("Choose contoso").check();
    await page.getByRole("button", { name: "Assess 1 account" }).waitFor();
    await page.goto("/a/acc2");
    await page.getByRole("button", { name: "Run assessment" }).waitFor();
  });
});

it("asks for no sign-in and shows nobody where none is needed", async () => {
  const { page } = watched;
  operate(mock);
  mock.assessments = [assessment()];
  mock.who = { ...identity(), authRequired: false };
  await page.goto("/a/acc");
  await page.getByRole("button", { name: "Run assessment" }).waitFor();
  expect(
    await page
      .getByRole("banner")
      .getByRole("button", { name: /administrator/ })
      .count(),
  ).toBe(0);
});

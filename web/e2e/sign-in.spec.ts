import { describe, expect, it } from "vitest";
import { assessment, identity, job, person, problem } from "./fixtures/account.ts";
import { hostileNames } from "./fixtures/hostileNames.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

const OKTA = { name: "okta", url: "/auth/login?provider=okta" };
const ADA = { email: "ada@example.com", password: "a long enough one" };

stage(() => {
  mock.assessments = [assessment()];
  mock.key = "correct-key";
  mock.password = ADA;
  mock.signIn = { providers: [OKTA], password: true, passkeys: false, key: true };
  mock.who = person();
});

const dialog = () => watched.page.getByRole("dialog", { name: "Sign in" });
const score = () => watched.page.getByText("of 100", { exact: true }).waitFor();
const who = () => watched.page.getByRole("button", { name: "Ada, viewer" });
const kept = () => watched.page.evaluate(() => [{ ...sessionStorage }, { ...localStorage }, document.cookie]);

describe("somebody signs in", () => {
  it("with a wrong password, which is not kept, then with the right one, and is on the page they wanted", async () => {
    const { page } = watched;
    await page.goto("/a/acc");
    const [email, password] = [dialog().getByLabel("Email address"), dialog().getByLabel("Password")];
    expect(await email.getAttribute("autocomplete")).toBe("username");
    expect(await password.getAttribute("autocomplete")).toBe("current-password");
    await email.fill(ADA.email);
    await password.fill("wrong");
    await dialog().getByRole("button", { name: "Sign in" }).click();
    await dialog().getByText("The email address or the password is wrong.").waitFor();
    expect(await email.inputValue()).toBe(ADA.email);
    expect(await password.inputValue()).toBe("");
    expect(await password.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type(ADA.password);
    await page.keyboard.press("Enter");
    await score();
    await who().waitFor();
    expect(await dialog().count()).toBe(0);
    expect(await kept()).toEqual([{}, {}, ""]);
    await page.reload();
    await score();
    expect(await dialog().count()).toBe(0);
  });

  it("by the keys alone", async () => {
    const { page } = watched;
    await page.goto("/a/acc");
    await dialog().waitFor();
    const press = async (name: string) => {
      for (let n = 0; n < 12; n++) {
        const at = await page.evaluate(() => {
          const one = document.activeElement as HTMLInputElement | null;
          return one?.labels?.[0]?.textContent ?? one?.textContent ?? "";
        });
        if (at === name) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`Tab does not come to ${name}`);
    };
    await press("Sign in with okta");
    await press("Email address");
    await page.keyboard.type(ADA.email);
    await press("Password");
    await page.keyboard.press("Enter");
    await dialog().getByText("Enter the email address and the password.").waitFor();
    await press("Use the API key");
    await page.keyboard.press("Enter");
    await press("API key");
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await dialog().getByText("The service refused that key.").waitFor();
    await page.keyboard.type("correct-key");
    await page.keyboard.press("Enter");
    await score();
    await who().press("Enter");
    await page.getByText("viewer for all accounts").waitFor();
    mock.log.length = 0;
    await page.getByRole("button", { name: "Sign out" }).press("Enter");
    await dialog().waitFor();
    expect(mock.log).toContain("DELETE /api/session");
  });

  it("by a provider, and comes back to the page they wanted", async () => {
    const { page } = watched;
    await page.goto("/a/acc/r/latest/findings?severity=high");
    await dialog().getByRole("link", { name: "Sign in with okta" }).click();
    await who().waitFor();
    await page.getByRole("grid", { name: "Findings" }).waitFor();
    expect(new URL(page.url()).search).toBe("?severity=high");
  });

  it("in vain by a provider, which says why once, as text and in bounds", async () => {
    const { page } = watched;
    mock.provider = `okta cannot be reached <b>now</b>. ${"long ".repeat(200)}`;
    await page.goto("/a/acc");
    await dialog().getByRole("link", { name: "Sign in with okta" }).click();
    const said = dialog().getByText("okta cannot be reached <b>now</b>.");
    expect((await said.textContent())?.length).toBeLessThan(310);
    expect(page.url()).not.toContain("signInProblem");
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Sign-in failed:" }).getByRole("button", { name: "Dismiss" }).click();
    await page.reload();
    await dialog().waitFor();
    expect(await said.count()).toBe(0);
  });

  it("where both forms are offered while nobody says which there are", async () => {
    const { page } = watched;
    await page.route("**/api/sign-in", (route) => route.fulfill({ status: 503 }));
    await page.goto("/a/acc");
    await dialog().getByLabel("Password").waitFor();
    await dialog().getByText("Use the API key").click();
    await dialog().getByLabel("API key").waitFor();
  });

  it("and hears what the service says of it, and where sessions are not kept", async () => {
    const { page } = watched;
    mock.cookies = false;
    await page.goto("/a/acc");
    await dialog().getByLabel("Email address").fill(ADA.email);
    await dialog().getByLabel("Password").fill(ADA.password);
    await page.keyboard.press("Enter");
    await dialog().getByText("Open this page over https.").waitFor();
  });

  it("with names of providers that are text", async () => {
    const { page } = watched;
    const names = hostileNames().slice(0, 20);
    mock.signIn = {
      providers: names.map((name) => ({ name, url: OKTA.url })),
      password: false,
      passkeys: false,
      key: false,
    };
    await page.goto("/a/acc");
    await dialog().waitFor();
    expect(await dialog().getByRole("link").count()).toBe(20);
    expect(await dialog().locator("script, img, svg, iframe, input").count()).toBe(0);
  });
});

describe("a session that ends in the middle", () => {
  const start = async () => {
    const { page } = watched;
    mock.key = undefined;
    mock.who = identity();
    await page.goto("/accounts/new");
    await page.getByLabel("Name", { exact: true }).fill("northwind");
    await page.getByLabel("API token").fill("token");
    await page.getByRole("button", { name: "API key, administrator" }).waitFor();
    mock.key = "correct-key";
    mock.endSessions();
    await page.getByRole("button", { name: "Register the account" }).click();
    await dialog().getByText("The session has ended. This page stays as it is.").waitFor();
  };

  it("is begun again over the page, which keeps what was typed, and what was refused is sent again", async () => {
    await start();
    mock.answers.set("POST /api/accounts", () => mock.accounts[0] ?? {});
    await dialog().getByLabel("Email address").fill(ADA.email);
    await dialog().getByLabel("Password").fill(ADA.password);
    mock.log.length = 0;
    await watched.page.keyboard.press("Enter");
    await watched.page.getByText("northwind is registered").waitFor();
    expect(mock.log.filter((line) => line.startsWith("POST /api/accounts"))).toHaveLength(1);
  });

  it("is asked for again by the next press after it was declined, and what was typed stays", async () => {
    await start();
    const { page } = watched;
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await page.getByText("This needs the API key.").waitFor();
    await page.getByLabel("API token").fill("token");
    await page.getByRole("button", { name: "Register the account" }).click();
    await dialog().waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("northwind");
  });

  it("is begun again by a provider in a tab of its own", async () => {
    await start();
    const { page } = watched;
    // What waits is sent as soon as the other tab is let in.
    mock.failing.set("/api/accounts", problem(422, { detail: "The name is taken." }));
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      dialog().getByRole("link", { name: "Sign in with okta" }).click(),
    ]);
    await tab.getByRole("heading", { level: 1 }).waitFor();
    await tab.close();
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await dialog().waitFor({ state: "detached" });
    await page.getByText("The name is taken.").first().waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("northwind");
  });

  it("is noticed when another tab let somebody else in, and nothing of the one before stays", async () => {
    const { page } = watched;
    mock.jobs = [job(1)];
    await page.goto("/a/acc");
    await dialog().getByLabel("Email address").fill(ADA.email);
    await dialog().getByLabel("Password").fill(ADA.password);
    await page.keyboard.press("Enter");
    await score();
    mock.who = person({ actor: "user:bob@example.com", name: "Bob", grants: [] });
    mock.assessments = [];
    mock.jobs = [];
    // Who looks at the tab while it is asking hears the answer to what it asked before.
    await expect
      .poll(async () => {
        await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
        return page.getByRole("button", { name: "Bob, viewer" }).count();
      })
      .toBe(1);
    await page.getByText("No assessment yet").waitFor();
    // What somebody may not see has not ended.
    expect(await page.getByText("has ended.").count()).toBe(0);
    expect(await page.getByText("of 100", { exact: true }).count()).toBe(0);
  });

  it("is noticed at once when a window beside it lets somebody else in: nothing is sent in their name", async () => {
    const { page } = watched;
    const analyst = { grants: [{ role: "analyst" as const }] };
    mock.who = person(analyst);
    await page.goto("/a/acc/r/latest/issues/CFL-SSL-001");
    await dialog().getByLabel("Email address").fill(ADA.email);
    await dialog().getByLabel("Password").fill(ADA.password);
    await page.keyboard.press("Enter");
    await page.getByLabel("Comment").fill("by Ada");
    mock.who = person({ ...analyst, actor: "user:bob@example.com", name: "Bob" });
    const beside = await page.context().newPage();
    await beside.goto("/about");
    await page.getByRole("button", { name: "Bob, viewer" }).waitFor();
    await expect.poll(() => page.getByLabel("Comment").inputValue()).toBe("");
    await beside.getByRole("button", { name: "Bob, viewer" }).click();
    await beside.getByRole("button", { name: "Sign out" }).click();
    await dialog().getByText("The session has ended.").waitFor();
  });

  it("shows nothing of the one before to somebody else", async () => {
    const { page } = watched;
    mock.key = undefined;
    mock.who = person({ actor: "user:eve@example.com", name: "Eve" });
    await page.goto("/a/acc");
    await score();
    mock.key = "correct-key";
    mock.who = person();
    mock.endSessions();
    // A late request of the page may have opened the dialog already, and a real click would wait behind it.
    await page.getByRole("link", { name: "Changes" }).dispatchEvent("click");
    await dialog().getByLabel("Email address").fill(ADA.email);
    await dialog().getByLabel("Password").fill(ADA.password);
    mock.log.length = 0;
    await page.keyboard.press("Enter");
    await who().waitFor();
    await expect.poll(() => mock.log.some((line) => line.startsWith("GET /api/accounts"))).toBe(true);
  });
});

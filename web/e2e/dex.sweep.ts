import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as listen } from "node:net";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Identity } from "../src/api/types";
import { launch } from "./browser.ts";
import { ask } from "./fixtures/cloud.ts";
import { type Service, startService } from "./fixtures/service.ts";

const KEY = "a-long-enough-key-for-tests-0123456789";
const DEX = fileURLToPath(new URL("../../bin/dex", import.meta.url));
const SESSION = "__Host-edgeposture";

/** Ports that were free just now. */
async function freePorts(n: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: n }, () => {
      const server = listen();
      return new Promise<typeof server>((done) => server.listen(0, "127.0.0.1", () => done(server)));
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

interface Provider {
  issuer: string;
  /** Puts somebody into other groups. */
  move: (name: string, ...groups: string[]) => void;
  stop: () => Promise<void>;
}

async function startDex(port: number, callback: string): Promise<Provider> {
  const child: ChildProcess = spawn(DEX, [`127.0.0.1:${port}`, callback, `${DEX}-web`], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const reachable = () =>
    new Promise<void>((done, failed) => {
      const socket = connect(port, "127.0.0.1", () => done(void socket.end()));
      socket.once("error", failed);
    });
  await vi.waitFor(reachable, { timeout: 20_000 });
  return {
    issuer: `http://127.0.0.1:${port}/dex`,
    move: (name, ...groups) => child.stdin?.write(`${[name, ...groups].join(" ")}\n`),
    stop: async () => {
      child.stdin?.end();
      await ended;
    },
  };
}

describe.skipIf(!existsSync(DEX))("signing in at a real provider", () => {
  let browser: Browser;
  let service: Service;
  let first: Provider;
  let second: Provider;

  beforeAll(async () => {
    const [own = 0, one = 0, two = 0, three = 0] = await freePorts(4);
    const url = `http://127.0.0.1:${own}`;
    first = await startDex(one, `${url}/auth/callback`);
    second = await startDex(two, `${url}/auth/callback`);
    const provider = (name: string, { issuer }: Pick<Provider, "issuer">) => ({
      [`SERVICE_OIDC_${name}_ISSUER`]: issuer,
      [`SERVICE_OIDC_${name}_CLIENT_ID`]: "edgeposture",
      [`SERVICE_OIDC_${name}_CLIENT_SECRET`]: "dex-client-secret",
      [`SERVICE_OIDC_${name}_SCOPES`]: "profile email groups",
      [`SERVICE_OIDC_${name}_ROLE_MAP`]: "admins=administrator; staff=viewer",
    });
    browser = await launch();
    service = await startService({
      PORT: String(own),
      SERVICE_PUBLIC_URL: url,
      SERVICE_API_KEY: KEY,
      ...provider("FIRST", first),
      ...provider("SECOND", second),
      ...provider("GONE", { issuer: `http://127.0.0.1:${three}/dex` }),
    });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await first?.stop();
    await second?.stop();
  });

  async function open(): Promise<{ page: Page; context: BrowserContext }> {
    const context = await browser.newContext({ baseURL: service.url });
    onTestFinished(() => context.close());
    return { page: await context.newPage(), context };
  }

  const prompt = (page: Page) => page.getByRole("dialog", { name: "Sign in" });

  /** Fills the form of the provider. */
  async function fill(page: Page, name: string): Promise<void> {
    await page.locator("#login").fill(name);
    await page.locator("#password").fill(`${name}-password`);
    await page.locator("#submit-login").click();
  }

  async function signIn(page: Page, name: string, at = "first"): Promise<void> {
    await page.goto("/checks");
    await prompt(page)
      .getByRole("link", { name: new RegExp(at, "i") })
      .click();
    await fill(page, name);
    await page.waitForURL((url) => url.pathname === "/checks");
    await page.getByRole("heading", { name: "Checks" }).waitFor();
  }

  const who = async (page: Page): Promise<Identity | number> =>
    page.evaluate(async () => {
      const answer = await fetch("/api/session");
      return answer.ok ? answer.json() : answer.status;
    });

  const cookieOf = async (context: BrowserContext) => (await context.cookies()).find(({ name }) => name === SESSION);

  it("comes back to the page that was asked for, with the roles of the groups", async () => {
    const { page, context } = await open();
    await signIn(page, "ada");
    expect(await who(page)).toMatchObject({ kind: "user", name: "Ada Lovelace", role: "administrator" });
    expect(await cookieOf(context)).toMatchObject({ httpOnly: true, secure: true, sameSite: "Lax", path: "/" });
    expect(await page.evaluate(() => [document.cookie, Object.keys(localStorage)])).toEqual(["", []]);
    const other = await open();
    await signIn(other.page, "grace", "second");
    expect(await who(other.page)).toMatchObject({ name: "Grace Hopper", role: "viewer" });
  });

  it("lets nobody in without a group of the map, and says why", async () => {
    const { page, context } = await open();
    await page.goto("/checks");
    await prompt(page).getByRole("link", { name: /first/i }).click();
    await fill(page, "alan");
    await prompt(page)
      .getByRole("alert")
      .filter({ hasText: /role|group/i })
      .first()
      .waitFor();
    expect(await cookieOf(context)).toBeUndefined();
  });

  it("refuses a state of nobody, a code that was used, and one of another browser", async () => {
    const { page, context } = await open();
    await page.goto("/auth/callback?code=abc&state=def");
    await prompt(page).getByRole("alert").first().waitFor();
    expect(await cookieOf(context)).toBeUndefined();

    let callback = "";
    page.on("request", (request) => {
      if (request.url().includes("/auth/callback?code=")) callback = request.url();
    });
    await signIn(page, "ada");
    const session = (await cookieOf(context))?.value;
    expect(callback).not.toBe("");
    await page.goto(callback);
    await expect.poll(() => page.url()).not.toContain("/auth/callback");
    expect((await cookieOf(context))?.value, "the session of before stays").toBe(session);
    expect(await who(page)).toMatchObject({ name: "Ada Lovelace" });

    const other = await open();
    await other.page.goto(callback);
    await prompt(other.page).getByRole("alert").first().waitFor();
    expect(await cookieOf(other.context)).toBeUndefined();
  });

  it("takes another cookie at each sign-in, and none that was planted", async () => {
    const { page, context } = await open();
    await signIn(page, "grace");
    const before = await cookieOf(context);
    await page.goto("/auth/login?provider=first&return=/checks");
    await page.waitForURL((url) => url.pathname === "/checks" || url.pathname.startsWith("/dex"));
    if (page.url().includes("/dex")) await fill(page, "grace");
    await page.waitForURL((url) => url.pathname === "/checks");
    const after = await cookieOf(context);
    expect(after?.value).not.toBe(before?.value);
    const stale = await open();
    await stale.context.addCookies([
      { name: SESSION, value: before?.value ?? "", url: service.url.replace("http:", "https:"), secure: true },
    ]);
    await stale.page.goto("/checks");
    expect(await who(stale.page), "the session of before has ended").toBe(401);
    const planted = await open();
    await planted.context.addCookies([
      { name: SESSION, value: "planted", url: service.url.replace("http:", "https:"), secure: true },
    ]);
    await signIn(planted.page, "grace");
    expect((await cookieOf(planted.context))?.value).not.toBe("planted");
  });

  it("gives what groups say by now, and takes away what they said", async () => {
    const { page } = await open();
    second.move("grace", "admins");
    await signIn(page, "grace", "second");
    expect(await who(page)).toMatchObject({ role: "administrator" });
    second.move("grace", "staff");
    const other = await open();
    await signIn(other.page, "grace", "second");
    expect(await who(other.page)).toMatchObject({ role: "viewer" });
    expect(await who(page), "in all of their sessions").toMatchObject({ role: "viewer" });
    second.move("grace");
    const third = await open();
    await third.page.goto("/checks");
    await prompt(third.page)
      .getByRole("link", { name: /second/i })
      .click();
    await fill(third.page, "grace");
    await prompt(third.page).getByRole("alert").first().waitFor();
    expect(await who(third.page)).toBe(401);
  });

  it("ends by signing out, and by an administrator", async () => {
    const { page, context } = await open();
    await signIn(page, "ada");
    const kept = await cookieOf(context);
    await page.getByRole("button", { name: /Ada Lovelace/ }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await prompt(page).waitFor();
    expect(await cookieOf(context)).toBeUndefined();
    await context.addCookies([
      { name: SESSION, value: kept?.value ?? "", url: service.url.replace("http:", "https:"), secure: true },
    ]);
    expect(await who(page), "the cookie that was kept opens nothing").toBe(401);
    await context.clearCookies();

    await signIn(page, "ada");
    const all = await ask<{ items: { id: string; actor: string }[] }>(service, "GET", "/api/sessions", undefined, KEY);
    for (const { id } of all.items.filter(({ actor }) => actor.includes("ada"))) {
      const ended = await fetch(`${service.url}/api/sessions/${id}`, {
        method: "DELETE",
        headers: { "X-API-Key": KEY },
      });
      expect(ended.status).toBe(204);
    }
    expect(await who(page)).toBe(401);
    await page.goto("/checks");
    await prompt(page).waitFor();
  });

  it("does nothing for another site", async () => {
    const { page, context } = await open();
    await signIn(page, "ada");
    const evil = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html");
      answer.end(`<form method="post" action="${service.url}/api/assess"><button>go</button></form>`);
    });
    await new Promise<void>((done) => evil.listen(0, "127.0.0.1", done));
    onTestFinished(() => new Promise<void>((done) => evil.close(() => done())));
    // Another port of the machine is the same site, which SameSite lets through: the origin is what tells.
    const { port } = evil.address() as AddressInfo;
    for (const host of ["127.0.0.1", "localhost"]) {
      await page.goto(`http://${host}:${port}/`);
      const answer = page.waitForResponse((response) => response.url() === `${service.url}/api/assess`);
      await page.getByRole("button", { name: "go" }).click();
      expect((await answer).status(), host).toBe(403);
      await page.goto(`http://${host}:${port}/`);
      const read = await page.evaluate(async (url) => {
        try {
          const got = await fetch(`${url}/api/accounts`, { credentials: "include" });
          return `read ${got.status}`;
        } catch {
          return "not read";
        }
      }, service.url);
      expect(read, host).toBe("not read");
    }
    expect(await cookieOf(context)).toBeDefined();
  });

  it("says so when a provider is down, and the other one still works", async () => {
    const { page } = await open();
    await page.goto("/checks");
    await prompt(page).getByRole("link", { name: /gone/i }).click();
    await prompt(page).getByRole("alert").filter({ hasText: /gone/i }).waitFor();
    second.move("grace", "staff");
    await signIn(page, "grace", "second");
    expect(await who(page)).toMatchObject({ name: "Grace Hopper" });
  });
});

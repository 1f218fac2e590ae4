import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { components } from "../src/api/schema";
import { launch } from "./browser.ts";
import { attack, openWindow, readFrames, readWindow } from "./fixtures/attack.ts";
import { ask, hasCloud, startCloud } from "./fixtures/cloud.ts";
import { hasService, type Service, startService } from "./fixtures/service.ts";
import { some } from "./fixtures/some.ts";

/*
 * The browser as attacker: pages of another site, of another port of this machine, and of a
 * name that was bound to this machine later try all they can send, while the person whose
 * browser it is may use the service. Nothing is read, changed or spent.
 */
const KEY = "a-long-enough-key-for-tests-0123456789";
/** The service asks for a key with which the person has signed in, or for nothing. */
const KEYS = [KEY, ""];

let browser: Browser;

/** Listens on the loopback address until the test ends. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())));
  return (server.address() as AddressInfo).port;
}

/** Passes requests on to the provider and counts them. */
async function counting(provider: string): Promise<{ url: string; count: () => number }> {
  let count = 0;
  const server = createServer((from, to) => {
    count++;
    const on = (answer: IncomingMessage) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    };
    const base = new URL(provider);
    const path = base.pathname.replace(/\/$/, "") + from.url;
    from.pipe(request({ host: base.hostname, port: base.port, path, method: from.method, headers: from.headers }, on));
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, count: () => count };
}

interface Stage {
  service: Service;
  context: BrowserContext;
  evil: { site: string; port: string };
  /** Answers of the service that were no refusal, but for pages a person went to. */
  let: string[];
  refused: () => number;
  underWay: () => number;
  spent: () => number;
  state: () => Promise<string>;
  id: string;
}

const LISTS = [
  "assessments",
  "jobs",
  "accounts",
  "schedules",
  "exceptions",
  "deliveries",
  "settings",
  "remediate/backups",
];

async function stage(key: string): Promise<Stage> {
  const cloud = await startCloud({ Seed: 3, Accounts: [{ Zones: 2 }] });
  onTestFinished(cloud.stop);
  const provider = await counting(cloud.url);
  const service = await startService({
    ...cloud.env,
    CLOUDFLARE_BASE_URL: provider.url,
    ...(key && { SERVICE_API_KEY: key }),
  });
  onTestFinished(service.stop);
  const { id } = await ask<components["schemas"]["Assessment"]>(service, "POST", "/api/assess", {}, key);

  const page = createServer((_, to) =>
    to.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><body></body>"),
  );
  const port = await listen(page);
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  if (key) {
    const own = await context.newPage();
    await own.goto(service.url);
    expect(await own.evaluate(signIn, key)).toBe(200);
    await own.close();
  }
  const answered: string[] = [];
  let refused = 0;
  let underWay = 0;
  context.on("request", () => underWay++);
  context.on("requestfinished", () => underWay--);
  context.on("requestfailed", () => underWay--);
  context.on("response", (response) => {
    const { port: of, pathname } = new URL(response.url());
    if (of !== new URL(service.url).port || pathname === "/start") return;
    const asked = response.request();
    if (response.status() === 403) refused++;
    // What the dashboard asks for once a person went there.
    else if (!asked.isNavigationRequest() && asked.frame().url().startsWith(service.url)) return;
    else answered.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  return {
    service,
    context,
    evil: { site: `http://evil.example:${port}`, port: `http://127.0.0.1:${port}` },
    let: answered,
    refused: () => refused,
    underWay: () => underWay,
    spent: provider.count,
    state: async () =>
      JSON.stringify(await Promise.all(LISTS.map((list) => ask(service, "GET", `/api/${list}`, undefined, key)))),
    id,
  };
}

async function signIn(key: string): Promise<number> {
  return (await fetch("/api/session", { method: "POST", headers: { "X-API-Key": key } })).status;
}

async function routes(service: Service, id: string): Promise<{ reads: string[]; writes: [string, string][] }> {
  const { paths } = await ask<{ paths: Record<string, Record<string, unknown>> }>(
    service,
    "GET",
    "/api-docs/openapi.json",
  );
  const reads = ["/", "/assessments/latest"];
  const writes: [string, string][] = [];
  for (const [path, methods] of Object.entries(paths)) {
    const filled = path
      .replace("{format}", "json")
      .replace("{framework}", "soc2")
      .replace(/\{[a-z]+\}/gi, id);
    for (const method of Object.keys(methods)) {
      if (method === "get") reads.push(filled);
      else writes.push([method.toUpperCase(), filled]);
    }
  }
  return { reads, writes };
}

describe.skipIf(!hasService || !hasCloud)("a page of somebody else", () => {
  beforeAll(async () => {
    // New versions ask the person before a page may ask this machine anything; older ones do not.
    browser = await launch(
      "--host-resolver-rules=MAP *.example 127.0.0.1",
      "--disable-features=LocalNetworkAccessChecks",
    );
  });
  afterAll(() => browser?.close());

  it.each(KEYS)(
    "reads, changes and spends nothing, from another site and from another port (key %j)",
    { timeout: 120_000 },
    async (key) => {
      const s = await stage(key);
      const all = await routes(s.service, s.id);
      expect(all.reads.length + all.writes.length).toBeGreaterThan(60);
      // A page of a hundred frames keeps a browser busy for a minute.
      const reads = some(10, all.reads);
      const writes = some(10, all.writes);
      const [state, spent] = [await s.state(), s.spent()];
      // A cookie goes along with what another port of this machine sends, which is the same site.
      for (const from of key ? [s.evil.port] : [s.evil.site, s.evil.port]) {
        const page = await s.context.newPage();
        await page.goto(from);
        expect(await page.evaluate(attack, { target: s.service.url, reads, writes })).toEqual([]);
        await expect.poll(s.underWay, { timeout: 60_000 }).toBe(0);
        expect(await page.evaluate(readFrames)).toEqual([]);
        for (const frame of page.frames()) expect(await frame.content()).not.toContain("Edgeposture");
        await page.close();
      }
      expect(s.let).toEqual([]);
      expect(s.refused()).toBeGreaterThan(reads.length);
      expect(await s.state()).toBe(state);
      expect(s.spent()).toBe(spent);
    },
  );

  it.each(some(2, KEYS))("learns nothing from windows it opens (key %j)", async (key) => {
    const s = await stage(key);
    const page = await s.context.newPage();
    await page.goto(s.evil.site);
    for (const path of ["/", "/report", "/api/health", "/api/assessments"]) {
      const opening = s.context.waitForEvent("page");
      await page.evaluate(openWindow, s.service.url + path);
      const opened = await opening;
      await opened.waitForLoadState();
      expect(await page.evaluate(readWindow)).toBe("");
      await opened.close();
    }
    const pages = ["/", "/report"].map((path) => `200 GET ${s.service.url}${path}`);
    expect(s.let).toEqual(pages);
  });

  it("is refused under a name that was bound to this machine later", async () => {
    const s = await stage("");
    const { reads, writes } = await routes(s.service, s.id);
    const rebound = `http://rebind.example:${new URL(s.service.url).port}`;
    await s.context.route(`${rebound}/start`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<body></body>" }),
    );
    const [state, spent] = [await s.state(), s.spent()];
    const page = await s.context.newPage();
    await page.goto(`${rebound}/start`);
    const calls: [string, string][] = [...reads.map((path): [string, string] => ["GET", path]), ...writes];
    const statuses = await page.evaluate(async (all) => {
      const out: (number | string)[] = [];
      for (const [method, path] of all) {
        const init = method === "GET" ? {} : { method, body: "{}", headers: { "Content-Type": "application/json" } };
        out.push(
          await fetch(path, init).then(
            (got) => got.status,
            (e) => `${method} ${path} ${e}`,
          ),
        );
      }
      return out;
    }, calls);
    expect(statuses).toEqual(calls.map(() => 403));
    expect(await s.state()).toBe(state);
    expect(s.spent()).toBe(spent);
  });

  it.each(some(2, KEYS))("may link to the dashboard and the report (key %j)", async (key) => {
    const s = await stage(key);
    const follow = async (page: Page, path: string) => {
      await page.goto(s.evil.site);
      await page.evaluate(
        (href) => document.body.append(Object.assign(document.createElement("a"), { href, textContent: "go" })),
        s.service.url + path,
      );
      await page.getByText("go").click();
      await page.waitForURL((url) => url.origin === s.service.url);
    };
    const page = await s.context.newPage();
    for (const path of ["/", `/assessments/${s.id}`]) {
      await follow(page, path);
      await page.getByRole("navigation", { name: "Main" }).waitFor();
    }
    await follow(page, "/report");
    await page.getByRole("heading", { level: 1 }).first().waitFor();
  });
});

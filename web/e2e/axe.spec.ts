import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launch, openPage } from "./browser.ts";
import { assessment, job, problem, uuid } from "./fixtures/account.ts";
import { Mock } from "./fixtures/mock.ts";

const TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

let browser: Browser;
let axe: string;
let mock: Mock;

beforeAll(async () => {
  browser = await launch();
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
});
afterAll(() => browser.close());
beforeEach(async () => {
  mock = await Mock.start();
});
afterEach(() => mock.stop());

const filled = () => {
  mock.assessments = [assessment({ number: 2, gaps: true }), assessment({ number: 1, grade: null })];
  mock.jobs = [
    job(1, { progress: { phase: "collect", done: 5, total: 10, unit: "read", requests: 5, waitingSeconds: 3 } }),
    job(2, { state: "queued" }),
  ];
};
const failing = () => mock.failing.set("/api/", problem(503));
const finding = () => mock.assessments[0]?.findings[0]?.id;

/** Every route in every state: what to prepare, where to go, and what shows that the state is there. */
const STATES: [string, () => void, () => string, (page: Page) => Promise<unknown>][] = [
  ["overview, filled", filled, () => "/", (page) => page.getByText("By category").waitFor()],
  ["overview, empty", () => {}, () => "/", (page) => page.getByText("No assessment yet").waitFor()],
  ["overview, error", failing, () => "/", (page) => page.getByText("could not be loaded").waitFor()],
  [
    "overview, failed run and options",
    () => {
      mock.jobs = [job(1, { state: "failed", error: { code: "internal", detail: "It broke." } })];
    },
    () => "/",
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
    () => "/",
    (page) => page.getByRole("dialog").waitFor(),
  ],
  ["findings, filled", filled, () => "/assessments/latest", (page) => page.getByRole("grid").waitFor()],
  [
    "findings, empty",
    filled,
    () => "/assessments/latest?q=zzz",
    (page) => page.getByText("No finding matches").waitFor(),
  ],
  ["findings, error", failing, () => "/assessments/latest", (page) => page.getByText("could not be loaded").waitFor()],
  [
    "findings, none yet",
    () => {},
    () => "/assessments/latest",
    (page) => page.getByText("No assessment yet").waitFor(),
  ],
  [
    "findings, gone",
    filled,
    () => `/assessments/${uuid(404)}`,
    (page) => page.getByText("No such assessment").waitFor(),
  ],
  [
    "findings, drawer open",
    filled,
    () => `/assessments/${uuid(2)}?finding=${finding()}`,
    (page) => page.getByRole("dialog").getByText("RFC 6797").waitFor(),
  ],
  ["assessments, filled", filled, () => "/assessments", (page) => page.getByRole("table").waitFor()],
  ["assessments, empty", () => {}, () => "/assessments", (page) => page.getByText("No assessment yet").waitFor()],
  ["assessments, error", failing, () => "/assessments", (page) => page.getByText("could not be loaded").waitFor()],
  ["no such page", () => {}, () => "/nowhere", (page) => page.getByText("No such page").waitFor()],
];

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  it.each(STATES)("%s", async (_, prepare, path, ready) => {
    prepare();
    const { page, close } = await openPage(browser, mock.url, { colorScheme, bypassCSP: true });
    await page.goto(path());
    await ready(page);
    await page.evaluate(axe);
    const results = (await page.evaluate(
      (tags) => (window as unknown as { axe: typeof import("axe-core") }).axe.run({ runOnly: tags }),
      TAGS,
    )) as AxeResults;
    const found = results.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`);
    await close();
    expect(found).toEqual([]);
  });
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { visible } from "../src/lib/visible";
import { launch, openPage } from "./browser.ts";
import { grantAccess, somebody } from "./fixtures/access.ts";
import { account, assessment, job, uuid } from "./fixtures/account.ts";
import { exceptions } from "./fixtures/findings.ts";
import { posture } from "./fixtures/graph.ts";
import { COUNT, harmlessNames, hostileNames, renamed, unmarked } from "./fixtures/hostileNames.ts";
import { Mock } from "./fixtures/mock.ts";
import { auditEntry, BUNDLE, delivery, operate, PLAN, schedule } from "./fixtures/operate.ts";

/*
 * The same pages twice: with harmless names, and with names that want to be something
 * else. The second time they must have the very same elements, and no dialog, report of
 * the policy, script error or request to elsewhere; every name is text, with what it
 * hides made visible.
 */
const PATH = encodeURIComponent("ap:exposed-origin:dns:1:0");
const RUN = "/a/acc/r/latest";
/** The finding that is opened, with a lot of evidence. */
const OPENED = 7;
const ROUTES: [string, (page: Page) => Promise<unknown>][] = [
  ["/", (page) => page.getByText("at work").click()],
  ["/assessments", table],
  ["/accounts/new", (page) => page.getByLabel("API token").waitFor()],
  ["/schedules?edit=new", (page) => page.getByText("Next five times").nth(39).waitFor()],
  ["/jobs", table],
  [`/jobs/${uuid(2001)}`, (page) => page.getByText("What happened").waitFor()],
  ["/settings", (page) => page.getByText("this browser").waitFor()],
  ["/integrations", (page) => page.getByText("Last delivery").first().waitFor()],
  ["/siem", send],
  ["/notifications", table],
  ["/access", (page) => page.getByRole("table", { name: "People" }).waitFor()],
  ["/ownership", (page) => page.getByRole("heading", { name: "Rule 2" }).waitFor()],
  ["/audit", table],
  ["/about", (page) => page.getByText("Licences").waitFor()],
  ["/a/acc", (page) => page.getByText("What to do first").waitFor()],
  ["/a/acc/runs", table],
  ["/a/acc/settings", permissions],
  [`/a/acc/backups?backup=${BUNDLE}`, (page) => page.getByRole("heading", { name: "Roll back" }).waitFor()],
  ["/a/acc/drift", (page) => page.getByText("In short").waitFor()],
  [`${RUN}/findings`, (page) => page.getByRole("row").nth(5).waitFor()],
  [`${RUN}/findings?group=zone`, (page) => page.getByRole("list", { name: "Findings by zone" }).waitFor()],
  [`${RUN}/findings/${numbered(OPENED)}`, (page) => page.getByText("Evidence").first().waitFor()],
  ["/findings", (page) => page.getByRole("row").nth(5).waitFor()],
  ["/exceptions?edit=new", (page) => page.getByRole("textbox", { name: "Reason", exact: true }).waitFor()],
  [`${RUN}/issues`, table],
  [`${RUN}/issues/CFL-SSL-001`, (page) => page.getByRole("button", { name: "Add comment" }).waitFor()],
  [`${RUN}/paths`, table],
  [`${RUN}/paths/${PATH}`, (page) => page.getByText("Each of these alone").waitFor()],
  [
    `${RUN}/map?node=dns:1:0&path=ap:exposed-origin:dns:1:0`,
    (page) => page.getByText("All paths through it").waitFor(),
  ],
  [`${RUN}/map?zone=1&against=before`, (page) => page.getByText("with new or regressed findings").waitFor()],
  [`${RUN}/explain?url=shop.example%2Fadmin`, (page) => page.getByText(/^Instead of/).waitFor()],
  [`${RUN}/what-if?method=PATCH&path=%2Fzones%2F1`, (page) => page.getByText("Not known").waitFor()],
  [`${RUN}/compliance/cis`, table],
  [`${RUN}/remediation`, (page) => page.getByRole("button", { name: "Choose all listed" }).click()],
  [`${RUN}/remediation?plan=${PLAN}`, (page) => page.getByRole("list", { name: "Changes" }).waitFor()],
  [`${RUN}/exports`, table],
];

/** The id of the n-th finding. */
function numbered(n: number): string {
  return n.toString(16).padStart(32, "0");
}
function table(page: Page) {
  return page.getByRole("table").first().waitFor();
}
async function send(page: Page) {
  await page.getByRole("button", { name: "Dry run: show the payload" }).click();
  await page.getByText("Nothing was sent.").waitFor();
}
async function permissions(page: Page) {
  await page.getByRole("button", { name: "Check the permissions" }).click();
  await page.getByText("1 permission missing.").waitFor();
}

const hostile = hostileNames();
let browser: Browser;
let mock: Mock;
let names: readonly string[];

beforeAll(async () => {
  browser = await launch();
  mock = await Mock.start();
  fill();
  mock.rewrite = (answer, address) =>
    // The texts of findings are counted, so that each name is there once; the others follow from the address.
    /\/findings\?/.test(address)
      ? answer
      : renamed(answer, names, [...address].reduce((n, c) => n * 31 + c.charCodeAt(0), 7) % COUNT);
});
afterAll(async () => {
  await browser.close();
  await mock.stop();
});
beforeEach(() => {
  names = hostile;
});

/** An account with everything the pages show, and enough of each. */
function fill() {
  operate(mock);
  const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
  const [made] = mock.assessments;
  if (!made) throw new Error("there is no assessment");
  mock.assessments = [made, ...many(40, (n) => assessment({ number: 900 - n, findings: 9 }))];
  mock.accounts = [
    ...mock.accounts,
    ...many(120, (n) => account({ id: uuid(7000 + n), providerId: `acc${n}`, default: false })),
  ];
  mock.jobs = [
    ...mock.jobs,
    ...many(3, (n) => job(20 + n)),
    ...many(60, (n) => job(100 + n, { state: "failed", error: { code: "internal", detail: "x" } })),
  ];
  mock.exceptions = exceptions();
  grantAccess(
    mock,
    many(40, (n) => somebody({ id: uuid(9000 + n) })),
  );
  mock.graph = posture(made.findings, made.id);
  const list = (call: string, items: object[]) => mock.answers.set(call, () => ({ items, nextCursor: "" }));
  list(
    "GET /api/schedules",
    many(40, (n) => schedule({ id: uuid(6000 + n), request: { note: "x", zones: ["x"] } })),
  );
  list(
    "GET /api/deliveries",
    many(40, (n) => delivery({ id: uuid(6100 + n) })),
  );
  const audit = { nextCursor: "", head: { seq: 60, hash: "abc" }, verified: true };
  mock.answers.set("GET /api/audit", () => ({ ...audit, items: many(60, (n) => auditEntry(60 - n)) }));
}

/** Findings of which the n-th has the n-th name in every text. */
function nameFindings() {
  const [first, ...others] = mock.assessments;
  if (!first) return;
  const shapes = assessment({ number: 2, findings: COUNT + 200 }).findings.filter(
    ({ result }) => result === "FAIL" || result === "WARNING",
  );
  const findings = names.map((name, n) => {
    const shape = shapes[n % shapes.length] ?? shapes[0];
    if (!shape) throw new Error("there is no finding");
    const evidence = Array.from({ length: n === OPENED ? 20 : 1 }, (_, i) => names[(n + i) % COUNT] ?? "").map(
      (text) => ({
        source: "zone/settings",
        pointer: `/${text}`,
        observed: text,
        expected: text,
      }),
    );
    return {
      ...shape,
      id: numbered(n),
      message: name,
      title: unmarked(name),
      resource: { ...shape.resource, name, zone: name, id: name },
      evidence,
      exceptionNote: name,
      remediable: n < 60,
    };
  });
  mock.assessments = [{ ...first, findings }, ...others];
}

/** How many elements there are of each kind, all text there is, and what attributes say. */
const look = (page: Page) =>
  page.evaluate(() => {
    const elements: Record<string, number> = {};
    const said: string[] = [document.title];
    const bad: string[] = [];
    for (const element of document.querySelectorAll("*")) {
      elements[element.localName] = (elements[element.localName] ?? 0) + 1;
      for (const { name, value } of element.attributes) {
        if (["aria-label", "title", "alt", "placeholder"].includes(name)) said.push(value);
        if (
          name.startsWith("on") ||
          (["href", "src", "action"].includes(name) &&
            !/^(\/|#|https:\/\/|blob:)/.test(value.replace(location.origin, "")))
        )
          bad.push(`${name}=${value}`);
      }
    }
    said.push(document.body.textContent ?? "");
    return { elements, bad, text: said.join("\n") };
  });

const HIDDEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\t\u200c\u200d]]/v;
const around = (text: string) => {
  const at = text.search(HIDDEN);
  return at < 0
    ? ""
    : `U+${text.codePointAt(at)?.toString(16)} in ${JSON.stringify(text.slice(Math.max(0, at - 60), at + 30))}`;
};

it("shows hostile names on every page as the text they are", { timeout: 180_000 }, async () => {
  const { page, complaints, close } = await openPage(browser, mock.url);
  const seen = async (wanted: readonly string[], [path, ready]: (typeof ROUTES)[0]) => {
    names = wanted;
    nameFindings();
    await page.goto(path);
    await ready(page);
    // Some parts come without a word when their answer does.
    let before = 0;
    const same = async () => {
      const last = before;
      before = await page.locator("*").count();
      return before === last;
    };
    await expect.poll(same, { interval: 500, timeout: 20_000 }).toBe(true);
    return look(page);
  };
  const wrong: string[] = [];
  for (const route of ROUTES) {
    const before = await seen(harmlessNames(), route);
    const after = await seen(hostile, route);
    for (const kind of new Set([...Object.keys(before.elements), ...Object.keys(after.elements)])) {
      const [old = 0, now = 0] = [before.elements[kind], after.elements[kind]];
      if (old !== now) wrong.push(`${route[0]}: ${now} ${kind}, ${old} with harmless names`);
    }
    wrong.push(...after.bad.map((attribute) => `${route[0]}: ${attribute}`));
    if (around(after.text)) wrong.push(`${route[0]}: ${around(after.text)}`);
  }
  await close();
  expect(complaints).toEqual([]);
  expect(wrong).toEqual([]);
});

it("shows each of a thousand names in the grid, and their evidence", { timeout: 120_000 }, async () => {
  const { page, complaints, close } = await openPage(browser, mock.url, { viewport: { width: 1280, height: 2400 } });
  nameFindings();
  await page.goto(`${RUN}/findings`);
  const grid = page.getByRole("grid", { name: "Findings" });
  await grid.getByRole("row").nth(5).waitFor();
  const left = new Set(hostile.map(visible));
  await expect
    .poll(
      async () => {
        const cells = await grid.getByRole("gridcell").allTextContents();
        for (const cell of cells) left.delete(cell);
        // Rows may still have been on their way: at the end it goes round again.
        await page.evaluate(() => {
          const end = window.innerHeight + window.scrollY + 1 >= document.documentElement.scrollHeight;
          window.scrollTo(0, end ? 0 : window.scrollY + 1800);
        });
        return left.size;
      },
      { timeout: 90_000, interval: 50 },
    )
    .toBe(0);
  await page.goto(`${RUN}/findings?finding=${numbered(OPENED)}`);
  const drawer = page.getByRole("dialog");
  await drawer.getByText("Evidence").waitFor();
  expect(await drawer.getByRole("table").count()).toBe(20);
  for (const name of hostile.slice(OPENED, OPENED + 20)) expect(await drawer.textContent()).toContain(visible(name));
  await close();
  expect(complaints).toEqual([]);
});

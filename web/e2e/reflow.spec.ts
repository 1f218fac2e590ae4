import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, openPage } from "./browser.ts";
import { assessment, job } from "./fixtures/account.ts";
import { exceptions } from "./fixtures/findings.ts";
import { Mock } from "./fixtures/mock.ts";
import { BUNDLE, operate, PLAN } from "./fixtures/operate.ts";

const OPERATE: [string, string][] = [
  ["/a/acc/r/latest/remediation", "Make a plan"],
  [`/a/acc/r/latest/remediation?plan=${PLAN}`, '"strict"'],
  [`/a/acc/backups?backup=${BUNDLE}`, "Values before and after"],
  ["/accounts/new", "API token"],
  ["/a/acc/settings", "Name and scope"],
  ["/a/acc/r/latest/exports", "Evidence bundle"],
  ["/schedules?edit=new", "Next five times"],
  ["/jobs", "cancelled 0"],
  ["/settings", "Event collector"],
  ["/siem", "It refused"],
  ["/notifications", "It refused"],
  ["/audit", "settings.change"],
  ["/about", "Licences"],
];

let browser: Browser;
let mock: Mock;

beforeAll(async () => {
  browser = await launch();
  mock = await Mock.start();
  operate(mock);
  mock.assessments = [assessment({ number: 2, gaps: true }), assessment()];
  for (const finding of mock.assessments[0]?.findings.slice(0, 9) ?? []) finding.remediable = true;
  mock.jobs = [job(1)];
  mock.exceptions = exceptions();
});
afterAll(async () => {
  await browser.close();
  await mock.stop();
});

// WCAG 1.4.10: 320 CSS pixels, which is also 1280 at 400 %, without scrolling sideways.
it.each([
  ["/", "Northwind Traders"],
  ["/a/acc", "By category"],
  ["/a/acc/runs", "before change"],
  ["/assessments", "before change"],
  ["/a/acc/r/latest/findings", "CFL-SSL-001"],
  ["/a/acc/r/latest/findings?finding=", "Evidence"],
  ["/a/acc/r/latest/findings?group=zone&in=shop.example", "CFL-SSL-001"],
  ["/findings", "CFL-SSL-001"],
  ["/exceptions?edit=new", "edge team"],
  ...OPERATE,
  ["/a/acc/r/latest/paths", "removes 3 of 3"],
  ["/a/acc/r/latest/paths/ap:exposed-origin:dns:1:0", "Each of these alone"],
  ["/a/acc/r/latest/map", "What the map shows"],
  ["/a/acc/r/latest/map?node=dns:1:0&path=ap:exposed-origin:dns:1:0", "All paths through it"],
  ["/a/acc/drift", "Became unreadable"],
  ["/a/acc/r/latest/compliance/cis", "Encrypt at rest"],
])("%s fits into 320 pixels", async (path, text) => {
  const { page, complaints, close } = await openPage(browser, mock.url, { viewport: { width: 320, height: 640 } });
  await page.goto(path.endsWith("=") ? `${path}${mock.assessments[0]?.findings[0]?.id}` : path);
  await page.getByText(text).first().waitFor();
  const [width, sideways] = await page.evaluate(() => {
    const dialog = document.querySelector('[role="dialog"]');
    return [document.documentElement.scrollWidth, dialog ? dialog.scrollWidth - dialog.clientWidth : 0];
  });
  await close();
  expect(width).toBe(320);
  expect(sideways).toBe(0);
  expect(complaints).toEqual([]);
});

it("has targets of at least 24 pixels", async () => {
  const { page, close } = await openPage(browser, mock.url);
  const small: string[] = [];
  for (const [path, text] of [
    ["/", "Northwind Traders"],
    ["/a/acc", "By category"],
    ["/a/acc/r/latest/findings", "CFL-SSL-001"],
    ...OPERATE,
    ["/a/acc/r/latest/paths", "removes 3 of 3"],
    ["/a/acc/r/latest/paths/ap:exposed-origin:dns:1:0", "Each of these alone"],
    ["/a/acc/r/latest/map?node=dns:1:0", "All paths through it"],
    ["/a/acc/drift", "Became unreadable"],
    ["/a/acc/r/latest/compliance/cis", "Encrypt at rest"],
  ] as const) {
    await page.goto(path);
    await page.getByText(text).first().waitFor();
    small.push(
      ...(await page.evaluate(() =>
        [
          ...document.querySelectorAll<HTMLElement>(
            "button, select, summary, nav a, label:has(input), input:not(label *)",
          ),
        ]
          .filter((el) => el.checkVisibility() && el.getBoundingClientRect().height < 24)
          .map((el) => el.outerHTML.slice(0, 100)),
      )),
    );
  }
  await close();
  expect(small).toEqual([]);
});

import { expect, it } from "vitest";
import type { PlanDetail } from "../src/api/types";
import { posture } from "./fixtures/graph.ts";
import { operate, PLAN } from "./fixtures/operate.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

const MANY = 6000;
const idOf = (n: number) => n.toString(16).padStart(32, "0");

/** One check with as many findings as a large account has; the service can close every second one. */
stage(() => {
  operate(mock);
  const [made] = mock.assessments;
  const [one] = made?.findings ?? [];
  if (!made || !one) throw new Error("there is no finding");
  made.findings = Array.from({ length: MANY }, (_, n) => {
    const name = `zone-${n}.example`;
    return {
      ...one,
      id: idOf(n),
      remediable: n % 2 === 0,
      resource: { ...one.resource, id: `z${n}`, name, zone: name },
    };
  });
});

it("finds what is behind an attack path among thousands of the same check", async () => {
  const { page } = watched;
  const [made] = mock.assessments;
  const drawn = posture(made?.findings ?? [], made?.id ?? "");
  const last = made?.findings.at(-1);
  mock.graph = { ...drawn, attackPaths: drawn.attackPaths.map((path) => ({ ...path, findingIds: [last?.id ?? ""] })) };
  await page.goto("/a/acc/r/latest/paths/ap:exposed-origin:dns:1:0");
  await page.getByText("Each of these alone").waitFor();
  await page.getByRole("region", { name: "Findings behind it" }).getByRole("link").waitFor();
  expect(await page.getByText("could not be found").count()).toBe(0);
  expect(
    mock.log.filter(
      (call) => call.includes("/findings?") && call.includes("limit=1000") && !call.includes("resource="),
    ),
  ).toEqual([]);
});

it("chooses thousands of findings with a remedy, shows some, and asks only for those", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/remediation");
  await page.getByRole("button", { name: "Choose all listed" }).click();
  await page.getByText(`${(MANY / 2).toLocaleString("en")} findings of 1 check chosen.`).waitFor();
  expect(mock.log.filter((call) => call.includes("/findings?") && !call.includes("remediable=yes"))).toEqual([]);
  const boxes = page.getByRole("group").getByRole("checkbox");
  const before = await boxes.count();
  await page.getByRole("button", { name: /^Show 20 more of 3,000 resources/ }).click();
  await expect.poll(() => boxes.count()).toBe(2 * before);
  await boxes.nth(1).uncheck();
  await page.getByText("2,999 findings of 1 check chosen.").waitFor();
});

it("shows a plan of thousands of changes part by part, and chooses all of them", async () => {
  const { page } = watched;
  const planned = mock.answers.get(`GET /api/remediate/plans/${PLAN}`)?.("", new URLSearchParams()) as PlanDetail;
  const [change] = planned.changes;
  const [item] = planned.manual;
  const [made] = mock.assessments;
  if (!change || !item || !made) throw new Error("there is nothing planned");
  made.findings = made.findings.slice(0, 120);
  mock.answers.set(`GET /api/remediate/plans/${PLAN}`, () => ({
    ...planned,
    changes: Array.from({ length: 2000 }, (_, n) => ({ ...change, id: `c${n}`, findingId: idOf(n) })),
    manual: Array.from({ length: 2000 }, (_, n) => ({ ...item, resource: { ...item.resource, id: `z${n}` } })),
  }));
  await page.goto(`/a/acc/r/latest/remediation?plan=${PLAN}`);
  await page.getByRole("button", { name: "Show 50 more of 2,000 changes" }).waitFor();
  expect(await page.getByRole("list", { name: "Changes" }).locator("> li").count()).toBe(50);
  await page.getByRole("button", { name: "Choose all changes" }).click();
  await page.getByText("2,000 of 2,000 changes chosen").waitFor();
  const resolved = page.getByRole("region", { name: "Resolved findings" });
  await resolved.getByRole("button", { name: "Show 50 more of 120 entries" }).waitFor();
  expect(await resolved.getByRole("listitem").count()).toBe(50);
  await page.getByText("To do by hand (2,000)").click();
  await page.getByRole("button", { name: "Show 50 more of 2,000 entries" }).click();
  await page.getByRole("button", { name: "Show 50 more of 2,000 entries" }).waitFor();
});

it("tells attack paths that one change breaks as one, and lists them where that is asked for", async () => {
  const { page } = watched;
  const [made] = mock.assessments;
  if (!made) throw new Error("there is no assessment");
  made.findings = made.findings.slice(0, 10);
  const drawn = posture(made.findings, made.id);
  const [path] = drawn.attackPaths;
  if (!path) throw new Error("there is no path");
  const unpause = { change: "Unpause the zone.", nodeId: "zone:1", checkIds: [], remediable: false };
  const alike = Array.from({ length: 30 }, (_, n) => ({
    ...path,
    id: `ap:exposed-origin:dns:1:p${n}`,
    title: `Exposed origin: host-${n}`,
    breaks: [{ ...unpause, change: `Move host ${n}.` }, unpause],
  }));
  mock.graph = { ...drawn, attackPaths: [...drawn.attackPaths, ...alike] };
  await page.goto("/a/acc/r/latest/paths");
  const rows = page.getByRole("table", { name: "Attack paths" }).locator("tbody tr");
  await page.getByText("33 attack paths").waitFor();
  expect(await rows.count()).toBe(4);
  await rows.getByRole("link", { name: "and 29 others" }).click();
  await page.getByText("30 of 33 attack paths").waitFor();
  await expect.poll(() => rows.count()).toBe(30);
});

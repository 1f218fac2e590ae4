import { expect, it } from "vitest";
import { grantAccess } from "./fixtures/access.ts";
import { account, assessment, person, problem } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.accounts = [account()];
  grantAccess(mock);
});

const button = (name: string) => watched.page.getByRole("button", { name, exact: true });
const rule = (n: number) => watched.page.getByRole("region", { name: `Rule ${n}`, exact: true });
const field = (n: number, name: string) => rule(n).getByLabel(name, { exact: true });
const days = (severity: string) =>
  watched.page.getByRole("region", { name: "Days until" }).getByLabel(severity, { exact: true });
const says = (text: string) => watched.page.getByText(text).waitFor();

it("is added to, ordered by the keys alone, and saved", async () => {
  const { page } = watched;
  await page.goto("/ownership");
  await says("No rule yet");
  await says("Web team owns critical issues of the category dns that hit a zone named *.shop.example.");
  await expect
    .poll(() => page.locator("datalist option").evaluateAll((all) => all.map((o) => (o as HTMLOptionElement).value)))
    .toEqual(["Platform"]);
  await button("Add a rule").press("Enter");
  await page.keyboard.type("Web team");
  await field(1, "Zone").fill("*.shop.example");
  await button("Add a rule").press("Enter");
  await page.keyboard.type("Platform");
  await field(2, "Category").selectOption("dns");
  await field(2, "Account").selectOption("northwind");
  await field(2, "Severity").selectOption("Critical");
  await says("Not saved yet.");
  await button("Move rule 2 up").press("Enter");
  expect(await field(1, "Owner").inputValue()).toBe("Platform");
  // The button that moved still has the focus, and does nothing at the top.
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe("Move rule 1 up");
  await days("Low").fill("0");
  await page.keyboard.press("Enter");
  await says("Saved.");
  const rules = [
    { owner: "Platform", category: "dns", account: "acc", severity: "critical" },
    { owner: "Web team", zone: "*.shop.example" },
  ];
  expect(mock.ownership).toEqual({ revision: 1, rules, sla: { critical: 7, high: 30, medium: 90, low: 0 } });
  await button("Remove rule 1").press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Add a rule");
  expect(await field(1, "Owner").inputValue()).toBe("Web team");
  await page.getByRole("banner").getByRole("link").first().click();
  await page.getByRole("dialog").getByText("would be lost").waitFor();
  await button("Cancel").click();
  await button("Discard").click();
  expect(await field(1, "Owner").inputValue()).toBe("Platform");
});

it("keeps what was typed when somebody else was faster", async () => {
  mock.ownership = { ...mock.ownership, revision: 4, rules: [{ owner: "Platform" }] };
  await watched.page.goto("/ownership");
  await field(1, "Owner").fill("Web team");
  mock.ownership = { ...mock.ownership, revision: 5, rules: [{ owner: "Edge team", severity: "high" }] };
  await button("Save").click();
  await says("Somebody else changed the rules.");
  await says("Edge team owns high issues.");
  expect(await field(1, "Owner").inputValue()).toBe("Web team");
  await button("Keep mine, to save over it").click();
  await button("Save").click();
  await says("Saved.");
  expect(mock.ownership).toMatchObject({ revision: 6, rules: [{ owner: "Web team" }] });

  await days("High").fill("10");
  mock.ownership = { ...mock.ownership, revision: 7, rules: [{ owner: "Edge team" }] };
  await button("Save").click();
  await button("Load it instead of mine").click();
  expect(await field(1, "Owner").inputValue()).toBe("Edge team");
  expect(await days("High").inputValue()).toBe("30");
  expect(await watched.page.getByRole("alert").count()).toBe(0);
});

it("shows problems at their fields, also when the rule has moved since", async () => {
  mock.ownership = { ...mock.ownership, rules: [{ owner: "Platform" }, { owner: "Web team" }] };
  await watched.page.goto("/ownership");
  await field(2, "Zone").fill("*.shop.example");
  const errors = [
    { location: "body.rules[1].zone", message: "no zone has such a name" },
    { location: "body.sla.low", message: "it is too long" },
  ];
  mock.failing.set("/api/ownership", problem(422, { errors }));
  await button("Save").click();
  await rule(2).getByText("no zone has such a name").waitFor();
  await says("it is too long");
  await button("Move rule 2 up").click();
  await rule(1).getByText("no zone has such a name").waitFor();
  expect(await watched.page.getByRole("alert", { name: "The rules were not saved." }).count()).toBe(0);
});

it("is sentences for who may not change it, found from an issue", async () => {
  const { page } = watched;
  mock.who = person();
  mock.assessments = [assessment({ number: 2 })];
  mock.ownership = { ...mock.ownership, rules: [{ owner: "Platform", account: "acc" }, { owner: "\u202Emaet" }] };
  mock.rewrite = (answer, address) =>
    address.startsWith("/api/issues/") ? { ...answer, owner: "Platform", ownerBy: "rule" } : answer;
  await page.goto("/a/acc/r/latest/issues/CFL-SSL-001");
  await page.getByRole("link", { name: "rule", exact: true }).click();
  await says("Changing the rules takes the role administrator for all accounts");
  const rules = page.getByRole("list", { name: "Rules in their order" }).getByRole("listitem");
  await expect
    .poll(() => rules.allTextContents())
    .toEqual(["Platform owns issues in the account northwind.", "[U+202E]maet owns every issue."]);
  await says("180 days after they began");
  expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
  expect(mock.log.filter((line) => line.includes("/api/teams"))).toEqual([]);
});

import { expect, it } from "vitest";
import { account, assessment, job, uuid } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

/** What was typed or begun on a page of one account is not on the same page of another. */

const OTHER = uuid(901);

stage(() => {
  mock.accounts = [account(), account({ id: OTHER, name: "contoso", providerId: "con", default: false, demo: false })];
  mock.assessments = [assessment(), { ...assessment({ number: 2 }), account: { id: "con", name: "Contoso" } }];
});

const to = async (from: string, name: string) => {
  const { page } = watched;
  await page.getByRole("button", { name: `Account: ${from}. Change` }).click();
  await page.getByRole("menuitemradio", { name }).click();
  await page.getByRole("button", { name: `Account: ${name}. Change` }).waitFor();
};

it("shows no run of another account, and starts none with what was chosen there", async () => {
  mock.jobs = [job(1)];
  const { page } = watched;
  await page.goto("/a/con");
  await page.getByText("of 100", { exact: true }).waitFor();
  await to("contoso", "northwind");
  await page.getByRole("article", { name: "Run" }).waitFor();
  await page.getByRole("button", { name: "Options" }).click();
  await page.getByLabel("Zones", { exact: true }).fill("shop.example");
  await page.getByLabel("Note").fill("of northwind");
  // Both are known by now, so nothing is waited for between them.
  await to("northwind", "contoso");
  await expect.poll(() => page.getByRole("article", { name: "Run" }).count()).toBe(0);
  mock.log.length = 0;
  await page.getByRole("button", { name: "Run assessment" }).click();
  await expect.poll(() => mock.log.find((line) => line.startsWith("POST /api/assess "))).toBeDefined();
  const [, , body = "{}"] = mock.log.find((line) => line.startsWith("POST /api/assess "))?.split(" ") ?? [];
  expect(JSON.parse(body)).toEqual({ account: OTHER });
});

it("keeps no token that was typed for another account, when the browser goes back past what is between", async () => {
  const { page } = watched;
  mock.accounts = mock.accounts.map((one) => ({ ...one, demo: false }));
  await page.goto("/a/con/settings");
  await page.getByLabel("New token").waitFor();
  await page.getByRole("link", { name: "Account settings" }).waitFor();
  await to("contoso", "northwind");
  await page.getByRole("link", { name: "Account settings" }).click();
  await page.getByLabel("New token").fill("for northwind");
  await page.getByLabel("Labels").fill("northwind");
  await page.evaluate(() => window.history.go(-2));
  await page.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("button", { name: "Account: contoso. Change" }).waitFor();
  await page.getByLabel("New token").waitFor();
  await expect.poll(() => page.getByLabel("New token").inputValue()).toBe("");
  await expect.poll(() => page.getByLabel("Labels").inputValue()).toBe("");
});

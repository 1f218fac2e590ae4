import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { operate } from "./fixtures/operate.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  operate(mock);
});

const tried = () => mock.log.filter((line) => line.startsWith("POST /api/what-if"));
const finding = () =>
  mock.assessments[0]?.findings.find(({ checkId, result }) => checkId === "CFL-SSL-001" && result === "FAIL");

/** Which checks the page of plans was opened with. */
async function planned(page: Page): Promise<string | null> {
  await page.getByText(/checks? chosen/).waitFor();
  return new URL(page.url()).searchParams.get("check");
}

it("goes from a finding to its explanation, to what its change does, and to a plan", async () => {
  const { page } = watched;
  await page.goto(`/a/acc/r/latest/findings/${finding()?.id}`);
  await page.getByRole("link", { name: "Explain what happens to a request" }).click();
  await page.getByRole("list", { name: "Steps" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Try the change that closes it" }).click();
  await page.getByRole("region", { name: "Resolved findings" }).waitFor();
  expect(await page.getByRole("textbox", { name: "Path" }).inputValue()).toBe("/zones/z/settings/ssl");
  expect(await page.getByRole("textbox", { name: "Body" }).inputValue()).toBe('{"value": "strict"}');
  expect(await page.getByRole("status").first().textContent()).toContain("The score ");
  await page.getByRole("link", { name: "Plan what closes CFL-SSL-001" }).click();
  expect(await planned(page)).toBe("CFL-SSL-001");
  await page.getByRole("button", { name: "Make a plan" }).click();
  await page.getByRole("list", { name: "Changes" }).waitFor();
  await page.getByRole("region", { name: "What follows" }).getByText("The score ").waitFor();
  expect(tried().length).toBeGreaterThan(1);
});

it("does so by keys alone, and keeps the change in the address of the page", async () => {
  const { page } = watched;
  await page.goto(`/a/acc/r/latest/findings/${finding()?.id}`);
  await page.getByRole("link", { name: "Try the change that closes it" }).press("Enter");
  await page.getByRole("region", { name: "New findings", exact: true }).waitFor();
  await page.getByRole("textbox", { name: "Body" }).fill('{"value": "full"}');
  await page.getByRole("button", { name: "See what follows" }).press("Enter");
  await expect.poll(() => new URL(page.url()).searchParams.get("body")).toBe('{"value": "full"}');
  await page.getByText("1 value changes").press("Enter");
  await page.getByText("zone/settings/ssl/value").waitFor();
  await page.getByRole("link", { name: "Plan what closes CFL-SSL-001" }).press("Enter");
  expect(await planned(page)).toBe("CFL-SSL-001");
  expect(tried()).toHaveLength(2);
  await page.getByRole("button", { name: "Make a plan" }).press("Enter");
  await page.getByRole("list", { name: "Changes" }).waitFor();
});

it("edits what a finding looks at and sees what follows, before anything is sent", async () => {
  const { page } = watched;
  await page.goto(`/a/acc/r/latest/findings/${finding()?.id}`);
  await page.getByRole("link", { name: "Try a different configuration" }).press("Enter");
  const body = page.getByRole("textbox", { name: "Body" });
  await expect.poll(() => body.inputValue()).toBe('{\n  "value": "flexible"\n}');
  expect(tried()).toHaveLength(0);
  await page.getByRole("link", { name: "/zones/z/rulesets/s/rules/r" }).press("Enter");
  await expect.poll(() => page.getByRole("textbox", { name: "Path" }).inputValue()).toBe("/zones/z/rulesets/s/rules/r");
  await page.goBack();
  await body.fill('{"value": "strict"}');
  await page.getByRole("button", { name: "See what follows" }).press("Enter");
  await page.getByRole("region", { name: "Resolved findings" }).waitFor();
  expect(await body.inputValue()).toBe('{"value": "strict"}');
});

it("says when a finding looks at nothing that can be filled in", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/what-if?check=CFL-ACC-010&resource=m");
  await page.getByText("CFL-ACC-010 looks at nothing that can be filled in here.").waitFor();
});

it("says what is no JSON before anything is asked, and what the service cannot try", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/what-if");
  await page.getByText("Enter a call of Cloudflare's API").waitFor();
  await page.getByRole("textbox", { name: "Path" }).fill("/zones/1/nothing");
  await page.getByRole("textbox", { name: "Body" }).fill("{value: 1}");
  await page.getByRole("button", { name: "See what follows" }).click();
  await page.getByText("This is not JSON").waitFor();
  expect(tried()).toHaveLength(0);
  await page.getByRole("textbox", { name: "Body" }).fill('{"value": 1}');
  await page.getByRole("button", { name: "See what follows" }).click();
  await page.getByText("Nothing is read from this part").waitFor();
});

it("shows the least that breaks attack paths, and plans it", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/paths");
  const least = page.getByRole("region", { name: "The least that breaks all paths" });
  await least.getByText(/break/).first().waitFor();
  await least.getByRole("link", { name: "Plan those that the service can make" }).click();
  await page.waitForURL(/remediation\?least=yes/);
});

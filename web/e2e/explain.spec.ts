import { expect, it } from "vitest";
import { assessment } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.assessments = [assessment({ number: 2 })];
});

const ADDRESS = "/a/acc/r/latest/explain";
const asked = () => mock.log.filter((line) => line.startsWith("GET /api/explain"));

it("explains an address that is typed, and keeps it in the address of the page", async () => {
  const { page } = watched;
  await page.goto("/a/acc");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Explain a URL" }).click();
  await page.getByRole("heading", { level: 1, name: "Explain a URL" }).waitFor();
  await page.getByRole("textbox", { name: "Address", exact: true }).fill("shop.example/admin");
  await page.keyboard.press("Enter");
  const steps = page.getByRole("list", { name: "Steps" });
  await steps.getByText("WAF custom rules").waitFor();
  expect(await steps.getByRole("heading", { level: 3 }).allTextContents()).toEqual([
    "DNS Applied",
    "Minimum TLS Applied",
    "IP Access rules Undecided",
    "WAF custom rules Blocked",
  ]);
  expect(await steps.getByRole("link", { name: "Open in Cloudflare" }).getAttribute("href")).toBe(
    "https://dash.cloudflare.com/acc/shop.example/security/waf/custom-rules",
  );
  expect(new URL(page.url()).searchParams.get("url")).toBe("shop.example/admin");
  await page.getByText("1 step without anything configured").click();
  await page.getByText("Page Rules").waitFor();
  await steps.getByRole("link", { name: "Try another value" }).click();
  await page.getByRole("region", { name: "What follows" }).getByText("The score ").waitFor();
  expect(await page.getByRole("textbox", { name: "Path" }).inputValue()).toBe("/zones/1/settings/min_tls_version");
  expect(await page.getByRole("textbox", { name: "Body" }).inputValue()).toBe('{"value": "1.2"}');
});

it("compares two addresses with the same visitor, by keys alone", async () => {
  const { page } = watched;
  await page.goto(ADDRESS);
  await page.getByRole("textbox", { name: "Address", exact: true }).focus();
  await page.keyboard.type("shop.example/admin");
  await page.getByRole("button", { name: "Compare two" }).press("Enter");
  await page.getByRole("textbox", { name: "Compare with" }).fill("shop.example/");
  await page.getByText("Who asks, and how").press("Enter");
  await page.getByRole("textbox", { name: "Country of the visitor" }).fill("DE");
  await page.getByRole("textbox", { name: "A request header" }).fill("X-Key: k1");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "https://shop.example/admin" }).getByText("Blocked").waitFor();
  const second = page.getByRole("region", { name: "https://shop.example/", exact: true });
  await second.getByRole("link", { name: "Visitors' data goes on in the clear" }).click();
  await page.getByText("Evidence").first().waitFor();
  expect(asked()).toHaveLength(2);
  for (const line of asked()) {
    expect(line).toContain("country=DE");
    expect(line).toContain("header=X-Key%3A%20k1");
  }
});

it("says when no assessed zone has the host", async () => {
  const { page } = watched;
  await page.goto(`${ADDRESS}?url=nowhere.example`);
  await page.getByText("The request could not be explained.").waitFor();
});

it("is reached from a finding, with its host filled in", async () => {
  const { page } = watched;
  const finding = mock.assessments[0]?.findings.find(({ resource }) => resource.zone !== undefined);
  await page.goto(`/a/acc/r/latest/findings/${finding?.id}`);
  await page.getByRole("link", { name: "Explain what happens to a request" }).click();
  await page.getByRole("list", { name: "Steps" }).waitFor();
  expect(new URL(page.url()).searchParams.get("url")).toMatch(/^https:\/\/.+\/$/);
});

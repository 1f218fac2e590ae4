import { expect, it } from "vitest";
import { assessment, problem } from "./fixtures/account.ts";
import { exceptions } from "./fixtures/findings.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";
import { filterBy } from "./fixtures/tools.ts";

stage(() => {
  mock.assessments = [assessment()];
  mock.exceptions = exceptions();
});

const rows = () => watched.page.getByRole("table").locator("tbody tr");
const sent = (start: string) => mock.log.filter((line) => line.startsWith(start));

it("lists all exceptions with what each hides, filtered in the address", async () => {
  const { page } = watched;
  await page.goto("/");
  await page.getByRole("link", { name: "Exceptions" }).click();
  await page.getByText("3 exceptions").waitFor();
  await rows().first().getByText("<img src=x onerror=alert(1)>.example").waitFor();
  await filterBy(page, "State", "Expired");
  await page.getByText("1 exception", { exact: true }).waitFor();
  await rows().getByText("named *.old.example").waitFor();
  expect(new URL(page.url()).search).toBe("?state=expired");
  await page.getByRole("searchbox").fill("nothing like it");
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await page.getByText("3 exceptions").waitFor();
  await page.getByRole("link", { name: "9 findings" }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("?check=CFL-EMAIL-005&account=acc&exception=only");
});

it("makes one only after showing what it hides, and asks again when the scope changes", async () => {
  const { page } = watched;
  await page.goto("/exceptions?edit=new");
  const save = page.getByRole("button", { name: "Save the exception" });
  await page.getByRole("button", { name: "Show what it hides" }).click();
  await page.getByText("This would be about every finding.").waitFor();
  expect(sent("POST /api/exceptions")).toEqual([]);
  const checks = page.getByLabel("Checks");
  const unknown = { location: "body.match.checkIds[0]", message: "check is unknown" };
  mock.failing.set("/api/exceptions/preview", problem(422, { errors: [unknown] }));
  await checks.fill("CFL-NO-1");
  await page.getByRole("button", { name: "Show what it hides" }).click();
  await page.getByText("check is unknown").waitFor();
  expect(await checks.getAttribute("aria-invalid")).toBe("true");
  expect(await page.getByText("What it hides is not known.").count()).toBe(0);
  mock.failing.clear();
  await checks.fill("CFL-DNS-009");
  expect(await save.isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Show what it hides" }).click();
  await page.getByText(/^Hides \d+ findings/).waitFor();
  await page.getByLabel("Pattern").fill("origin-*.shop.example");
  await page.getByText(/^Hides \d/).waitFor({ state: "detached" });
  expect(await save.isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Show what it hides" }).click();
  await page.getByText(/^Hides \d finding/).waitFor();
  await page.getByLabel("Reason", { exact: true }).fill("Moves in May");
  await page.getByLabel("Owner", { exact: true }).fill("edge team");
  mock.failing.set(
    "/api/exceptions",
    problem(422, { detail: "Too long.", errors: [{ location: "body.expiresAt", message: "too late" }] }),
  );
  await save.click();
  await page.getByText("too late").waitFor();
  expect(await page.getByLabel("Reason", { exact: true }).inputValue()).toBe("Moves in May");
  mock.failing.clear();
  await save.click();
  await page.getByText("4 exceptions").waitFor();
  const body = JSON.parse(
    sent("POST /api/exceptions {")
      .at(-1)
      ?.replace(/^\S+ \S+ /, "") ?? "null",
  );
  expect(body).toMatchObject({
    account: "acc",
    match: { checkIds: ["CFL-DNS-009"], pattern: "origin-*.shop.example" },
    reason: "Moves in May",
    owner: "edge team",
  });
  expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now());
});

it("revokes after asking, and keeps the row", async () => {
  const { page } = watched;
  await page.goto("/exceptions");
  await page.getByRole("button", { name: /^Revoke the exception for CFL-EMAIL-005/ }).click();
  mock.failing.set("/api/exceptions/", problem(500, { detail: "Not now." }));
  await page.getByRole("dialog").getByRole("button", { name: "Revoke the exception" }).click();
  await page.getByRole("dialog").getByText("Not now.").waitFor();
  mock.failing.clear();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke the exception" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await rows().first().getByText("revoked").first().waitFor();
  expect(await rows().count()).toBe(3);
});

it("never takes an error for no exception", async () => {
  mock.failing.set("/api/exceptions", problem(503));
  await watched.page.goto("/exceptions");
  await watched.page.getByText("The exceptions could not be loaded.").waitFor();
  expect(await watched.page.getByText("No exception yet").count()).toBe(0);
  mock.failing.clear();
  await watched.page.getByRole("button", { name: "Try again" }).click();
  await watched.page.getByText("3 exceptions").waitFor();
});

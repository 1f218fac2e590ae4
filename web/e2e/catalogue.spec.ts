import { expect, it } from "vitest";
import { problem } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage();

const rows = () => watched.page.locator("main details");

it("finds a check by a word, opens it, and keeps the filter in the address", async () => {
  const { page } = watched;
  await page.goto("/checks");
  await rows().first().waitFor();
  const all = await rows().count();
  await page.getByLabel("Search in the checks").fill("origin dns-009");
  await expect.poll(() => rows().count()).toBe(1);
  await rows().locator("summary").click();
  await page.getByText("Someone on the way may read along.").waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("origin dns-009");
  await page.reload();
  await expect.poll(() => rows().count()).toBe(1);
  await page.getByLabel("Search in the checks").fill("nothing is called so");
  await page.getByRole("button", { name: "Show all checks" }).click();
  await expect.poll(() => rows().count()).toBe(all);
});

it("says what its words mean even when the checks cannot be loaded", async () => {
  mock.failing.set("/api/checks", problem(503, { detail: "Busy." }));
  await watched.page.goto("/checks");
  await watched.page.getByText("Busy.").waitFor();
  await watched.page.getByText("One change that breaks several attack paths by itself.").waitFor();
});

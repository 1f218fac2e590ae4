import { expect, it } from "vitest";
import { assessment } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.assessments = [assessment({ number: 2 })];
});

const note = () => watched.page.getByRole("alert", { name: "Not opened" });
const findings = async () => {
  await watched.page.goto("/a/acc/r/latest/findings?q=shop");
  await watched.page.getByRole("grid", { name: "Findings" }).waitFor();
};

it("leaves the page as it is where a dialog cannot be loaded, and opens it once the service answers", async () => {
  const { page } = watched;
  await findings();
  await page.route("**", (route) => route.abort());
  await page.keyboard.press("Control+k");
  await note().getByText("The service cannot be reached.").waitFor();
  await page.keyboard.press("Escape");
  await note().waitFor({ state: "detached" });
  const tool = page.getByRole("button", { name: "Columns" });
  await tool.focus();
  await page.keyboard.press("Enter");
  await note().waitFor();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Findings");
  expect(page.url()).toContain("q=shop");
  await page.unroute("**");
  await note().getByRole("button", { name: "Try again" }).click();
  await page.getByRole("checkbox", { name: "Zone" }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => tool.evaluate((one) => one === document.activeElement)).toBe(true);
});

it("takes what is typed while the search is being loaded for no shortcut", async () => {
  const { page } = watched;
  await findings();
  let load = () => {};
  const loaded = new Promise<void>((done) => {
    load = done;
  });
  await page.route("**/Palette-*.js", (route) => loaded.then(() => route.continue()));
  const asked = page.waitForRequest("**/Palette-*.js");
  await page.keyboard.press("Control+k");
  await asked;
  await page.keyboard.type("gm");
  load();
  await page.getByRole("combobox", { name: /^Page, account/ }).waitFor();
  expect(page.url()).toContain("/findings?q=shop");
});

it("says that the page is of a version before where the service has its code no more", async () => {
  const { page } = watched;
  await findings();
  await page.route("**/FindingDrawer-*.js", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("grid", { name: "Findings" }).focus();
  await page.keyboard.press("Enter");
  await note().getByRole("button", { name: "Load the page again" }).waitFor();
  await note().getByRole("button", { name: "Dismiss" }).click();
  await note().waitFor({ state: "detached" });
  await page.unroute("**/FindingDrawer-*.js");
  await page.getByRole("grid", { name: "Findings" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("Evidence").first().waitFor();
});

it("loads the page again where the service was restarted with another version of its code", async () => {
  const { page } = watched;
  await page.goto("/jobs");
  await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
  await page.evaluate(() => {
    (window as { mark?: boolean }).mark = true;
  });
  let refused = 0;
  await page.route("**/SchedulesPage-*.js", (route) => {
    if (refused > 0) return route.continue();
    refused++;
    return route.fulfill({ status: 404 });
  });
  await page.getByRole("link", { name: "Schedules", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor();
  expect(refused).toBe(1);
  expect(await page.evaluate(() => (window as { mark?: boolean }).mark)).toBeUndefined();
  watched.complaints.length = 0; // the browser notes code that did not come
});

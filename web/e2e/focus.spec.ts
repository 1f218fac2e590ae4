import { expect, it } from "vitest";
import { assessment } from "./fixtures/account.ts";
import { furnish } from "./fixtures/routes.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

/** Where the focus is when what had it is gone. */

stage(() => furnish(mock));

const focused = () =>
  watched.page.evaluate(() => {
    const one = document.activeElement;
    return `${one?.localName} ${one?.getAttribute("aria-label") ?? one?.textContent ?? ""}`.slice(0, 40).trim();
  });
const pressed = async (name: string) => {
  const button = watched.page.getByRole("main").getByRole("button", { name }).first();
  await button.focus();
  await watched.page.keyboard.press("Enter");
  await button.waitFor({ state: "detached" });
};

// Not the control beside it either, which another press would turn.
it.each([
  ["/exceptions?edit=new", "Cancel", /^header Exceptions/, "a New exception"],
  ["/findings", "Show the accepted", /^search Filter/, "input Fields and text to filter by"],
  ["/inbox", "Mark all as read", /^p 0 unread/, "a All"],
  ["/a/acc", "Cancel", /^article Run/, "button Retry"],
  ["/a/acc/r/latest/explain", "Compare two", /^form Request/, "input "],
])("stays in its place on %s where a press of %s makes the button go", async (address, button, place, next) => {
  const { page } = watched;
  await page.goto(address);
  await pressed(button);
  await expect.poll(focused).toMatch(place);
  await page.keyboard.press("Tab");
  expect(await focused()).toBe(next.trim());
});

// The form stands above the list, perhaps out of sight of what was pressed.
it.each([
  ["/schedules", "link", "Add a schedule", "account"],
  ["/schedules", "link", "Edit", "cron"],
  ["/notifications", "link", "Add an alert rule", "name"],
  ["/notifications", "link", "Edit On call", "name"],
] as const)(
  "goes into the form that a press opens on %s, and back to what was pressed: %s %s",
  async (address, role, name, field) => {
    const { page } = watched;
    await page.goto(address);
    const opener = page.getByRole("main").getByRole(role, { name, exact: true }).last();
    await opener.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe(field);
    const cancel = page.getByRole("main").getByRole("link", { name: "Cancel" });
    // It leads to this very page without the form, which is not where the reader is.
    expect(await cancel.getAttribute("aria-current")).toBeNull();
    await cancel.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => opener.evaluate((one) => one === document.activeElement)).toBe(true);
  },
);

it("goes into the form of an exception, whose button goes meanwhile", async () => {
  const { page } = watched;
  await page.goto("/exceptions");
  await page.getByRole("link", { name: "New exception" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("account");
});

it("goes to the row that comes into the place of one that is gone, once its dialog is closed", async () => {
  const { page } = watched;
  await page.goto("/access");
  const rows = page.getByRole("table", { name: "People" }).locator("tbody tr");
  await rows
    .first()
    .getByRole("button", { name: /^Delete/ })
    .focus();
  await page.keyboard.press("Enter");
  const confirm = page.getByRole("dialog").getByRole("button", { name: /^Delete/ });
  await confirm.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => rows.count()).toBe(1);
  await expect.poll(() => rows.first().evaluate((one) => one === document.activeElement)).toBe(true);
});

// A list that is read again quickly loses its row before the dialog has given the focus back, or while it is still there.
it.each([
  ["dialog", "row"],
  ["row", "dialog"],
])("goes to the next row when first the %s and then the %s goes", async (...order) => {
  const { page } = watched;
  await page.goto("/access");
  await page.getByRole("heading", { level: 1 }).waitFor();
  const place = await page.evaluate(async (parts) => {
    const [list, dialog] = [document.createElement("ul"), document.createElement("div")];
    list.innerHTML = "<li><button type=button>one</button></li><li>two</li>";
    dialog.setAttribute("role", "dialog");
    dialog.innerHTML = "<button type=button>Delete</button>";
    document.querySelector("main")?.append(list);
    document.body.append(dialog);
    for (const button of [list, dialog]) button.querySelector("button")?.focus();
    const frame = () => new Promise(requestAnimationFrame);
    for (const part of parts) {
      (part === "row" ? list.firstElementChild : dialog)?.remove();
      if (part === "row") await frame();
      else await Promise.resolve();
    }
    await frame();
    return document.activeElement?.textContent;
  }, order);
  expect(place).toBe("two");
});

it("does not leave a selection that is cleared by the keys for the top of the page", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/findings");
  await page.getByRole("grid").focus();
  await page.keyboard.press("Space");
  await pressed("Clear the selection");
  await expect.poll(focused).toMatch(/^p /);
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("div Findings");
});

it("comes back to the link that led away, and to the row that was open", async () => {
  const { page } = watched;
  await page.goto("/a/acc/r/latest/issues");
  const link = page.getByRole("table", { name: "Issues" }).getByRole("row").nth(4).getByRole("link").first();
  await link.focus();
  const name = await link.textContent();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^How to fix/ }).waitFor();
  await expect.poll(focused).toMatch(/^main/);
  await page.goBack();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(name);
});

it("comes back to the row of a finding whose page was looked at", async () => {
  mock.assessments = [assessment({ number: 3, findings: 300 })];
  const { page } = watched;
  await page.goto("/a/acc/r/latest/findings");
  const row = () => page.getByRole("grid").getAttribute("aria-activedescendant");
  await page.getByRole("grid").focus();
  await page.keyboard.press("PageDown");
  await expect.poll(row).not.toBe("row-0");
  const before = await row();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Open the page" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(row).toBe(before);
});

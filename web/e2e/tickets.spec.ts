import { describe, expect, it } from "vitest";
import { account, assessment, problem } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => {
  mock.accounts = [account()];
  mock.assessments = [assessment({ number: 1 })];
});

const button = (name: string) => watched.page.getByRole("button", { name, exact: true });
const tickets = () => watched.page.getByRole("list", { name: "Tickets" }).getByRole("listitem");
const open = async () => {
  await watched.page.goto("/a/acc/r/latest/issues/CFL-SSL-001");
  await button("Save").waitFor();
};
/** The id of the issue on the page. */
const shown = () =>
  /issues\/([0-9]{32})/.exec(mock.log.find((line) => line.startsWith("GET /api/issues/")) ?? "")?.[1] ?? "";

describe("the tickets of an issue", () => {
  it("are not spoken of while no tracker is chosen", async () => {
    await open();
    expect(await watched.page.getByRole("heading", { name: "Tickets" }).count()).toBe(0);
  });

  it("are made once, and opened in a page of their own", async () => {
    mock.work.tracker = "github";
    await open();
    mock.failing.set(`/api/issues/${shown()}/tickets`, problem(502, { detail: "GitHub refused: it answered 401." }));
    await button("Create a ticket").click();
    await watched.page.getByRole("alert", { name: /^There is no ticket yet/ }).waitFor();
    mock.failing.clear();
    await button("Create a ticket").click();
    const link = watched.page.getByRole("link", { name: "owner/name#1" });
    await link.waitFor();
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(await link.getAttribute("href")).toBe("https://github.com/owner/name/issues/1");
    expect(await tickets().first().textContent()).toContain("open");
    expect(await button("Create a ticket").count()).toBe(0);
    await watched.page.getByText("made or linked the ticket owner/name#1").waitFor();
  });

  it("are linked by their address", async () => {
    mock.work.tracker = "github";
    await open();
    await watched.page
      .getByLabel("Ticket that is there already", { exact: true })
      .fill("https://github.com/owner/name/issues/77");
    await button("Link the ticket").click();
    await watched.page.getByRole("link", { name: "owner/name#77" }).waitFor();
    expect(mock.log.filter((line) => line.includes("/tickets")).at(-1)).toContain(
      '{"url":"https://github.com/owner/name/issues/77"}',
    );
  });

  it("show what is wrong with them, and open nothing but pages", async () => {
    await open();
    mock.work.tickets.set(shown(), [
      {
        kind: "jira",
        key: "SEC-1",
        url: "javascript:alert(1)",
        state: "unknown",
        createdAt: new Date().toISOString(),
        problem: "Jira refused: it answered 401, so the token is not accepted.",
      },
    ]);
    await watched.page.reload();
    await tickets().first().getByText("Jira refused: it answered 401").waitFor();
    expect(await watched.page.locator('a[href^="javascript"]').count()).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { account, assessment, problem } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";
import { choose, closeMenus } from "./fixtures/tools.ts";

stage(() => {
  mock.accounts = [account()];
  mock.assessments = [assessment({ number: 2 }), assessment({ number: 1, ageSeconds: 90_000 })];
});

const at = () => watched.page.url().slice(mock.url.length);
const field = (name: string) => watched.page.getByLabel(name, { exact: true });
const button = (name: string) => watched.page.getByRole("button", { name, exact: true });
const said = () => watched.page.getByRole("list", { name: "Activity, newest first" }).getByRole("listitem");
const sent = (method: string) => mock.log.filter((line) => line.startsWith(`${method} /api/issues/`));
const open = async () => {
  await watched.page.goto("/a/acc/r/latest/issues/CFL-SSL-001");
  await button("Save").waitFor();
};
/** The id of the issue on the page. */
const shown = () =>
  /issues\/([0-9]{32})/.exec(mock.log.find((line) => line.startsWith("GET /api/issues/")) ?? "")?.[1] ?? "";

describe("what people decide about an issue", () => {
  it("is assigned, gets a day, is acknowledged and talked about by mouse", async () => {
    await open();
    expect(await button("Save").isDisabled()).toBe(true);
    await field("State").selectOption("Acknowledged");
    await field("Owner").fill("Web team");
    await field("Assignee").fill("ann");
    await field("Due").fill("2031-02-03");
    await button("Save").click();
    await expect.poll(() => said().count()).toBe(4);
    const [change] = sent("PATCH");
    expect(JSON.parse(change?.split(" ").slice(2).join(" ") ?? "")).toEqual({
      state: "acknowledged",
      owner: "Web team",
      assignee: "ann",
      due: "2031-02-03",
      revision: 0,
    });
    await watched.page.getByText("local made Web team the owner").waitFor();
    expect(await button("Save").isDisabled()).toBe(true);

    await field("Comment").fill("We wait for the new origin.\n<b>No</b> date yet.");
    await button("Add comment").click();
    await expect.poll(() => said().count()).toBe(5);
    expect(await said().first().textContent()).toContain("We wait for the new origin.\n<b>No</b> date yet.");
    expect(await field("Comment").inputValue()).toBe("");

    await field("Due").fill("");
    await button("Save").click();
    await watched.page.getByText("local took the day 2031-02-03 away").waitFor();
    expect(sent("PATCH")[1]).toContain('{"due":null,"revision":1}');
    await watched.page.reload();
    await button("Save").waitFor();
    expect(await field("Assignee").inputValue()).toBe("ann");
  });

  it("goes by keys alone", async () => {
    await open();
    const { keyboard } = watched.page;
    const tabTo = async (name: string) => {
      for (let n = 0; n < 60; n++) {
        await keyboard.press("Tab");
        const there = await watched.page.evaluate(() => {
          const on = document.activeElement as HTMLInputElement | null;
          return on?.labels?.[0]?.textContent ?? on?.textContent ?? "";
        });
        if (there.trim() === name) return;
      }
      throw new Error(`nothing called ${name} is reached by Tab`);
    };
    await tabTo("State");
    await keyboard.press("ArrowDown");
    await tabTo("Assignee");
    await keyboard.type("ann");
    await tabTo("Due");
    await keyboard.type("02032031");
    await keyboard.press("Enter");
    await expect.poll(() => said().count()).toBe(3);
    expect(sent("PATCH")[0]).toMatch(/"state":"acknowledged","assignee":"ann","due":"2031-0[23]-0[23]"/);
    await tabTo("Comment");
    await keyboard.type("By keys.");
    await tabTo("Add comment");
    await keyboard.press("Enter");
    await watched.page.getByText("By keys.").first().waitFor();
    await expect.poll(() => said().count()).toBe(4);
  });

  it("keeps what was typed when somebody else was faster, and says so", async () => {
    await open();
    await field("Assignee").fill("ann");
    mock.work.actor = "bob";
    mock.work.change(shown(), { owner: "Bob's team" });
    await watched.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
    await button("Save").click();
    await watched.page.getByRole("alert", { name: "The issue was not changed." }).waitFor();
    await watched.page.getByText("What you chose is kept").waitFor();
    expect(await field("Assignee").inputValue()).toBe("ann");
    await expect.poll(() => field("Owner").inputValue()).toBe("Bob's team");
    await button("Save").click();
    await watched.page.getByText("assigned ann").waitFor();
    expect(sent("PATCH").at(-1)).toContain('{"assignee":"ann","revision":1}');
    await field("Assignee").fill("carl");
    await button("Undo").click();
    expect(await field("Assignee").inputValue()).toBe("ann");
  });

  it("keeps a comment that the service refused or never got", async () => {
    await open();
    const text = "a long thought ".repeat(40).trim();
    await field("Comment").fill(text);
    mock.failing.set(`/api/issues/${shown()}/comments`, problem(503));
    await button("Add comment").click();
    await watched.page.getByRole("alert", { name: /^The comment was not kept/ }).waitFor();
    expect(await field("Comment").inputValue()).toBe(text);
    mock.failing.clear();
    await button("Add comment").click();
    await expect.poll(() => said().count()).toBe(1);
  });

  it("keeps what is typed while the answer is on its way", async () => {
    await open();
    const asked: (() => void)[] = [];
    const answer = async () => {
      await expect.poll(() => asked.length).toBe(1);
      asked.pop()?.();
    };
    await watched.page.route("**/api/issues/**", async (route) => {
      if (route.request().method() !== "GET") await new Promise<void>((go) => asked.push(go));
      await route.fallback();
    });
    await field("Assignee").fill("ann");
    await button("Save").click();
    await field("Owner").fill("Web team");
    await answer();
    await watched.page.getByText("local assigned ann").waitFor();
    expect(await field("Owner").inputValue()).toBe("Web team");
    await button("Save").click();
    await answer();
    await watched.page.getByText("local made Web team the owner").waitFor();
    await field("Comment").fill("One.");
    await button("Add comment").click();
    await field("Comment").fill("Two.");
    await answer();
    await said().filter({ hasText: "One." }).waitFor();
    expect(await field("Comment").inputValue()).toBe("Two.");
  });

  it("does not say that a comment was not kept when its answer was lost", async () => {
    await open();
    await watched.page.route("**/comments", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await field("Comment").fill("Is it there?");
    await button("Add comment").click();
    await watched.page.getByRole("alert", { name: /^It may have been done, or not/ }).waitFor();
    expect(mock.log.filter((line) => line.includes("Is it there?"))).toHaveLength(1);
  });

  it("shows names as they are, not as they want to look", async () => {
    await open();
    mock.work.actor = "<img src=x onerror=alert(1)>";
    mock.work.change(shown(), { owner: "\u202Eelpmaxe", assignee: "x".repeat(200) });
    mock.work.say(shown(), "pay\u200Bpal <script>alert(1)</script>");
    await watched.page.reload();
    await watched.page.getByText("[U+202E]elpmaxe").waitFor();
    await watched.page.getByText("pay[U+200B]pal <script>alert(1)</script>").waitFor();
    const wide = await watched.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
  });
});

describe("the list of issues", () => {
  it("shows and filters by state, owner and what is overdue", async () => {
    await open();
    mock.work.change(shown(), { owner: "Web team", state: "in_progress", due: "2020-01-01" });
    await watched.page.goto("/a/acc/r/latest/issues");
    const table = watched.page.getByRole("table", { name: "Issues" });
    const rows = table.locator("tbody tr[aria-rowindex]");
    await rows.first().waitFor();
    const all = await rows.count();
    await table.getByRole("row").filter({ hasText: "Web team" }).getByText("In progress").waitFor();
    for (const [name, option, query] of [
      ["Owner", "Web team", "owner=Web+team"],
      ["State", "In progress", "state=in_progress"],
      ["Due", "Overdue", "overdue=yes"],
    ] as const) {
      await watched.page.getByRole("button", { name: "Add filter" }).click();
      await watched.page.getByRole("menuitem", { name }).click();
      await watched.page.getByRole(/Owner/.test(name) ? "menuitemcheckbox" : "menuitemradio", { name: option }).click();
      await closeMenus(watched.page);
      await expect.poll(at).toBe(`/a/acc/r/latest/issues?${query}`);
      await expect.poll(() => rows.count()).toBe(1);
      await watched.page.goto("/a/acc/r/latest/issues");
      await expect.poll(() => rows.count()).toBe(all);
    }
    await choose(watched.page, "Sort", "Due first");
    await expect.poll(() => rows.first().textContent()).toContain("Web team");
    await watched.page.getByRole("button", { name: "Columns" }).click();
    await watched.page
      .getByRole("list", { name: "Columns in their order" })
      .getByRole("checkbox", { name: "Due" })
      .check();
    await watched.page.keyboard.press("Escape");
    await table.getByText("2020-01-01").waitFor();
    await table.getByText("Overdue").waitFor();
  });
});

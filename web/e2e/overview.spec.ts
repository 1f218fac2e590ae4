import { describe, expect, it } from "vitest";
import { ACCOUNT, assessment, HOSTILE, job, problem, uuid } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage();

const card = () => watched.page.getByRole("article", { name: "Run" });
const bar = () => watched.page.getByRole("progressbar");
/** The score of the fixture, which only a loaded result shows. */
const score = () => watched.page.getByText("74", { exact: true }).first().waitFor();
const seen = (text: string | RegExp) => watched.page.getByText(text).first().waitFor();

describe("the latest assessment", () => {
  it("says plainly that it is the demo, and shows score, grade, counts and token", async () => {
    mock.assessments = [assessment()];
    await watched.page.goto("/a/acc");
    await seen("This is a built-in demo account:");
    expect(await watched.page.getByRole("link", { name: "Add an account" }).getAttribute("href")).toBe("/accounts/new");
    await score();
    await seen("of 100");
    await seen("expires in 12 days");
    expect(await watched.page.getByText("could not be judged").count()).toBe(0);
    expect(await watched.page.title()).toMatch(/^\(\d+ crit\) Northwind Traders/);
  });

  it("stays while what runs is not known and is asked for again", async () => {
    mock.assessments = [assessment()];
    mock.failing.set("/api/jobs", problem(500));
    const { page } = watched;
    await page.goto("/a/acc");
    await seen("Running jobs are not known.");
    await score();
    // Never answered.
    await page.route("**/api/jobs?**", () => {});
    const asked = page.waitForRequest("**/api/jobs?**");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await asked;
    await page.evaluate(
      () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    );
    expect(await page.getByText("Loading the latest assessment").count()).toBe(0);
    await score();
  });

  it.each([[[assessment()]], [[]]])(
    "says that the account is not known, which could be run otherwise",
    async (runs) => {
      const { page } = watched;
      mock.assessments = runs;
      mock.failing.set("/api/accounts", problem(500));
      await page.goto("/a/acc");
      await seen("The account could not be loaded, so nothing can be run here.");
      if (runs.length > 0) await score();
      // Whatever else asks for the accounts could take the button away before it is pressed, were they there already.
      const again = page.getByRole("button", { name: "Try again" });
      const asked = page.waitForRequest("**/api/accounts");
      await again.click();
      await asked;
      mock.failing.clear();
      await expect
        .poll(
          async () => {
            await again.evaluateAll((all) => {
              for (const one of all) (one as HTMLElement).click();
            });
            return page.getByRole("button", { name: "Run assessment" }).count();
          },
          { interval: 1_000 },
        )
        .toBe(1);
    },
  );

  it("says when it is not known how many of them are an accepted risk", async () => {
    mock.assessments = [assessment()];
    mock.failing.set(`/api/assessments/${mock.assessments[0]?.id}/findings`, problem(500));
    await watched.page.goto("/a/acc");
    await seen("How many of them are an accepted risk is not known.");
  });

  it("says how many of the open findings are an accepted risk", async () => {
    const run = assessment();
    for (const finding of run.findings.filter(({ result }) => result === "FAIL").slice(0, 3)) {
      finding.exception = "Accepted until 2027-01-01 by risk board.";
    }
    mock.assessments = [run];
    await watched.page.goto("/a/acc");
    await watched.page.getByRole("link", { name: "3 of the open ones" }).click();
    await watched.page.getByRole("grid").waitFor();
    expect(await watched.page.getByRole("grid").getAttribute("aria-rowcount")).toBe("4");
  });

  it("keeps a banner about what could not be judged, and names the permission", async () => {
    mock.assessments = [assessment({ gaps: true, grade: null, demo: false })];
    await watched.page.goto("/a/acc");
    await seen(/could not be judged/);
    await watched.page.getByText(/^The token lacks \d+ permissions?, so \d+ checks? saw nothing\.$/).click();
    await seen("Zone: SSL and Certificates Read");
    await seen("No grade: 62 % of what counts could be judged, and a grade needs 80 %.");
    expect(await watched.page.getByText("built-in demo").count()).toBe(0);
  });

  it("leads to the one finding that holds the grade, and counts results without a link to fewer findings", async () => {
    const run = assessment();
    const [holds] = run.findings;
    mock.assessments = [{ ...run, score: { ...run.score, held: "held at D by 1 finding", heldBy: [holds?.id ?? ""] } }];
    await watched.page.goto("/a/acc");
    await seen(/could be judged/);
    expect(await watched.page.getByRole("link", { name: /^[\d,]+ results?$/ }).count()).toBe(0);
    await watched.page.getByRole("link", { name: "held at D by 1 finding" }).click();
    await watched.page.getByRole("dialog").getByText("Evidence").waitFor();
    expect(new URL(watched.page.url()).searchParams.get("finding")).toBe(holds?.id);
  });

  it("says that nothing was assessed yet", async () => {
    await watched.page.goto("/a/acc");
    await seen("No assessment yet");
    await watched.page.getByRole("button", { name: "Run assessment" }).waitFor();
  });

  it("knows no account of a name that nobody gave, and claims no run of it", async () => {
    await watched.page.goto("/a/doesnotexist");
    await seen("There is no account doesnotexist");
    await watched.page.getByRole("link", { name: "Registered accounts" }).waitFor();
    expect(await watched.page.getByText("was assessed with a token").count()).toBe(0);
    expect(await watched.page.getByText("No assessment yet").count()).toBe(0);
  });

  it("leads from an address that names no account to those that are there", async () => {
    const errors = [{ location: "query.account", message: "There is none of this name." }];
    mock.failing.set(
      "/api/assessments",
      problem(422, { title: "Invalid", detail: "GET /api/accounts lists them.", errors }),
    );
    for (const page of ["/a/nope", "/a/nope/runs", "/a/nope/r/latest/issues"]) {
      await watched.page.goto(page);
      await seen("There is no such account");
      await watched.page.getByRole("link", { name: "Registered accounts" }).waitFor();
      expect(await watched.page.getByText("/api/accounts").count()).toBe(0);
    }
  });

  it("shows a refusal with its reason and request id, never as an empty account, and tries again", async () => {
    mock.failing.set("/api/assessments", problem(500, { title: "Internal error", detail: "The store is gone." }));
    await watched.page.goto("/a/acc");
    await seen("The store is gone.");
    await seen(uuid(7777));
    expect(await watched.page.getByText("No assessment yet").count()).toBe(0);
    mock.failing.clear();
    mock.assessments = [assessment()];
    await watched.page.getByRole("button", { name: "Try again" }).click();
    await score();
  });

  it("names the wait that a 429 asks for", async () => {
    mock.failing.set("/api/assessments", problem(429, { title: "Too many requests", detail: "Slow down." }));
    await watched.page.goto("/a/acc");
    await seen("Slow down.");
    await seen("The service asks to wait 30 seconds before the next try.");
  });

  it("keeps the other panels when one fails", async () => {
    mock.assessments = [assessment()];
    mock.failing.set(`/api/assessments/${uuid(1)}/issues`, problem(502, { detail: "Only this failed." }));
    await watched.page.goto("/a/acc");
    await seen("Only this failed.");
    await seen("By category");
    await score();
  });

  it("shows hostile names as text", async () => {
    mock.assessments = [{ ...assessment({ findings: 12 }), account: { id: "acc", name: HOSTILE[0] ?? "" } }];
    await watched.page.goto("/a/acc");
    await watched.page.getByRole("button", { name: /^Account: / }).waitFor();
    await expect.poll(() => watched.page.title()).toContain(HOSTILE[0]);
    // A direction mark must not turn a name around.
    await seen("[U+202E]gnp.elgoog.example");
  });
});

describe("a run", () => {
  it("shows progress as it comes, and then its result without a reload", async () => {
    await watched.page.goto("/a/acc");
    await seen("No assessment yet");
    await watched.page.getByText("Options").click();
    await watched.page.getByLabel("Zones").fill("shop.example, *.static.example");
    await watched.page.getByLabel("Profile").selectOption("core");
    await watched.page.getByLabel("Note").fill("before the change");
    await watched.page.getByLabel("dns", { exact: true }).check();
    await watched.page.getByRole("button", { name: "Run assessment" }).click();
    await card().waitFor();
    const body = mock.log.find((line) => line.startsWith("POST /api/assess"))?.slice("POST /api/assess ".length);
    expect(JSON.parse(body ?? "")).toEqual({
      zones: ["shop.example", "*.static.example"],
      categories: ["dns"],
      profile: "core",
      note: "before the change",
      account: ACCOUNT,
    });

    const { id } = mock.jobs[0] ?? job(0);
    const progress = { phase: "collect", unit: "read", waitingSeconds: 0 };
    // No total yet: counts, but no percentage and no value.
    mock.update(id, { progress: { ...progress, done: 3, total: 0, requests: 3 } });
    await seen("3 reads");
    expect(await bar().getAttribute("aria-valuenow")).toBeNull();
    expect(await card().getByText("%").count()).toBe(0);

    const values: number[] = [];
    for (const [done, total] of [
      [10, 40],
      [20, 40],
      [21, 120],
      [110, 120],
    ] as const) {
      mock.update(id, { progress: { ...progress, done, total, requests: done, etaSeconds: 9 } });
      await card().getByText(`${done} of ${total} reads`).waitFor();
      values.push(Number(await bar().getAttribute("aria-valuenow")));
    }
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(values[0]).toBeGreaterThan(0);
    await seen(/ends at about \d\d:\d\d, in 9 s/);

    mock.update(id, {
      progress: { ...progress, done: 110, total: 120, requests: 110, waitingSeconds: 42, etaSeconds: 51 },
    });
    await seen("Waiting 42 s, because Cloudflare admits 1,200 requests in 5 minutes.");
    await seen(/ends at about \d\d:\d\d, in 51 s/);

    // All of that came by events: nobody asked for the job.
    expect(mock.log.filter((line) => line === `GET /api/jobs/${id}`)).toEqual([]);

    mock.finish(id, assessment());
    await seen("The run has finished");
    await score();
    expect(await watched.page.getByText("No assessment yet").count()).toBe(0);
  });

  it("is found again after a reload", async () => {
    mock.jobs = [
      job(1, { progress: { phase: "collect", done: 5, total: 10, unit: "read", requests: 5, waitingSeconds: 0 } }),
    ];
    await watched.page.goto("/a/acc");
    await seen("5 of 10 reads");
    await watched.page.reload();
    await seen("5 of 10 reads");
    mock.finish(uuid(2001), assessment());
    await seen("The run has finished");
  });

  it("is watched by asking when events do not arrive", async () => {
    mock.events = false;
    mock.jobs = [job(1)];
    await watched.page.goto("/a/acc");
    await card().waitFor();
    mock.update(uuid(2001), {
      progress: { phase: "evaluate", done: 1, total: 4, unit: "check", requests: 9, waitingSeconds: 0 },
    });
    await seen("1 of 4 checks");
    mock.finish(uuid(2001), assessment());
    await score();
  });

  it("that ended while the tab slept for a day over a dead stream is shown when it wakes", async () => {
    await watched.page.clock.install();
    const id = uuid(2001);
    const reads = (done: number) =>
      job(1, { progress: { phase: "collect", done, total: 10, unit: "read", requests: done, waitingSeconds: 0 } });
    mock.jobs = [reads(4)];
    // Whoever asks learns nothing new, so what the card says next came by the stream.
    await watched.page.route(`**/api/jobs/${id}`, (route) => route.fulfill({ json: reads(4) }));
    await watched.page.goto("/a/acc");
    await seen("4 of 10 reads");
    mock.update(id, reads(5));
    await seen("5 of 10 reads");
    await watched.page.unroute(`**/api/jobs/${id}`);
    // The stream stays open and says nothing more, as one whose other end is gone.
    mock.assessments = [assessment()];
    mock.jobs = [job(1, { state: "succeeded", assessmentId: uuid(1), finishedAt: new Date().toISOString() })];
    await watched.page.clock.fastForward("24:00:00");
    // Nothing came for too long, so the card asks, after the wait of one that is watched for hours.
    await watched.page.clock.fastForward("01:00");
    await seen("The run has finished");
    await score();
    await watched.page.getByRole("banner").getByText("Healthy").waitFor();
  });

  it("says that the service does not answer, and goes on when it does", async () => {
    mock.events = false;
    mock.jobs = [
      job(1, { progress: { phase: "collect", done: 5, total: 10, unit: "read", requests: 5, waitingSeconds: 0 } }),
    ];
    await watched.page.goto("/a/acc");
    await seen("5 of 10 reads");
    mock.failing.set("/api/jobs/", problem(500));
    await seen(/The service does not answer; last update/);
    await seen("5 of 10 reads");
    mock.failing.clear();
    mock.finish(uuid(2001), assessment());
    await seen("The run has finished");
  });

  it("can be cancelled, and started again from what it had read", async () => {
    mock.jobs = [job(1)];
    await watched.page.goto("/a/acc");
    await card().getByRole("button", { name: "Cancel" }).click();
    await seen("The run was cancelled");
    await card().getByRole("button", { name: "Retry" }).click();
    await card().getByText("Reading the account").first().waitFor();
    expect(mock.log.some((line) => line.startsWith(`POST /api/jobs/${uuid(2001)}/retry`))).toBe(true);
  });

  it("that failed while nobody looked is shown with its reason and a retry", async () => {
    mock.assessments = [assessment({ ageSeconds: 3600 })];
    const error = { code: "provider_error", detail: "The provider answered 503 for an hour." };
    mock.jobs = [job(1, { state: "failed", finishedAt: new Date().toISOString(), error })];
    await watched.page.goto("/a/acc");
    await seen("The run failed");
    await seen("The provider answered 503 for an hour.");
    await card().getByRole("button", { name: "Retry" }).waitFor();
  });

  it("that is refused says why, place by place", async () => {
    const errors = [{ location: "body.zones[0]", message: 'zone pattern "[" is not valid' }];
    mock.failing.set("/api/assess", problem(422, { title: "Invalid request", detail: "A zone is wrong.", errors }));
    mock.failing.set("/api/assessments", problem(404, { code: "no_assessment" }));
    await watched.page.goto("/a/acc");
    await watched.page.getByRole("button", { name: "Run assessment" }).click();
    await seen('zone pattern "[" is not valid');
  });
});

describe("the key", () => {
  it("is asked for once, refused with words, and the requests are sent again", async () => {
    mock.assessments = [assessment()];
    mock.key = "correct-key";
    await watched.page.goto("/a/acc");
    const dialog = watched.page.getByRole("dialog", { name: "Sign in" });
    const key = dialog.getByLabel("API key");
    await key.fill("wrong");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByText("The service refused that key.").waitFor();
    await key.fill("correct-key");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await score();
    expect(await dialog.count()).toBe(0);
    await watched.page.reload();
    await score();
    expect(await dialog.count()).toBe(0);
    expect(mock.log.some((line) => line.includes("correct-key"))).toBe(false);
  });

  it("says why nobody can sign in", async () => {
    mock.key = "k";
    mock.failing.set("/api/session", problem(503, { detail: "The store is away." }));
    await watched.page.goto("/a/acc");
    const dialog = watched.page.getByRole("dialog", { name: "Sign in" });
    await dialog.getByLabel("API key").fill("k");
    await watched.page.keyboard.press("Enter");
    await dialog.getByText("The store is away.").waitFor();
  });

  it("stays in memory where the browser keeps no session", async () => {
    mock.assessments = [assessment()];
    mock.key = "correct-key";
    mock.cookies = false;
    await watched.page.goto("/a/acc");
    const dialog = watched.page.getByRole("dialog", { name: "Sign in" });
    await dialog.getByLabel("API key").fill("correct-key");
    await watched.page.keyboard.press("Enter");
    await score();
    expect(mock.log.filter((line) => line.startsWith("DELETE /api/sessions/"))).toHaveLength(1);
    const kept = await watched.page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    expect(kept).not.toContain("correct-key");
    await watched.page.reload();
    await dialog.waitFor();
  });

  it("can be declined, which shows the refusal and asks again on demand", async () => {
    mock.assessments = [assessment()];
    mock.key = "k";
    await watched.page.goto("/a/acc");
    const dialog = watched.page.getByRole("dialog", { name: "Sign in" });
    await dialog.waitFor();
    await watched.page.keyboard.press("Escape");
    await watched.page.getByRole("button", { name: "Sign in" }).first().click();
    await dialog.getByLabel("API key").fill("k");
    await watched.page.keyboard.press("Enter");
    await score();
  });
});

describe("the page around", () => {
  it("says on every page of an account without an assessment that its run failed, and why", async () => {
    mock.jobs = [job(1, { state: "failed", error: { code: "internal", detail: "It broke." } })];
    for (const page of ["r/latest/issues", "drift", "runs"]) {
      await watched.page.goto(`/a/acc/${page}`);
      await seen("No assessment yet: the last run failed");
      await seen("It broke.");
    }
  });

  it("keeps the chosen theme over a reload", async () => {
    mock.assessments = [assessment()];
    await watched.page.goto("/a/acc");
    await watched.page.getByTitle("dark theme").click();
    expect(await watched.page.locator("html").getAttribute("data-theme")).toBe("dark");
    await watched.page.reload();
    expect(await watched.page.locator("html").getAttribute("data-theme")).toBe("dark");
    const background = await watched.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    expect(background).toBe("rgb(14, 17, 22)");
  });

  it.each([1024, 1070, 1117, 1280])("keeps the overview within a window of %i px", async (width) => {
    mock.assessments = [assessment({ number: 2, gaps: true }), assessment({ ageSeconds: 90_000 })];
    await watched.page.setViewportSize({ width, height: 800 });
    await watched.page.goto("/a/acc");
    await watched.page.getByRole("img", { name: /^Open findings of 2 runs/ }).waitFor();
    await watched.page.getByRole("img", { name: /^Scores by category/ }).waitFor();
    const out = await watched.page.evaluate(() =>
      [...document.querySelectorAll("main section")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.textContent?.slice(0, 60)),
    );
    expect(out).toEqual([]);
    expect(await watched.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  it("names an address that does not exist", async () => {
    await watched.page.goto("/no/such/page");
    await seen("/no/such/page");
  });

  it("lists past assessments with their notes as text", async () => {
    mock.assessments = [assessment({ number: 2, gaps: true }), assessment({ number: 1, ageSeconds: 90_000 })];
    await watched.page.goto("/assessments");
    await seen("before change <b>2</b>");
    await watched.page.getByRole("link", { name: "25 hours ago" }).click();
    await watched.page.getByRole("grid", { name: "Findings" }).waitFor();
    expect(new URL(watched.page.url()).pathname).toBe(`/a/acc/r/${uuid(1)}/findings`);
  });
});

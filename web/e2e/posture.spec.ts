import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { assessment, HOSTILE, problem, uuid } from "./fixtures/account.ts";
import { bigGraph, driftOnMap, emptyDrift, posture } from "./fixtures/graph.ts";
import { some } from "./fixtures/some.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";
import { HANDS, tabTo } from "./fixtures/tabbing.ts";
import { chips, choose, filterBy } from "./fixtures/tools.ts";

stage(
  () => {
    mock.assessments = [assessment({ number: 2 }), assessment({ number: 1, ageSeconds: 90_000 })];
  },
  { reducedMotion: "reduce" },
);

const go = (path: string) => watched.page.goto(path);
const search = () => new URL(watched.page.url()).searchParams;
const section = (name: string) => watched.page.getByRole("region", { name, exact: true });
const PATH = "ap:exposed-origin:dns:1:0";

describe("attack paths", () => {
  const rows = () => watched.page.getByRole("table", { name: "Attack paths" }).getByRole("row");

  it("lists the worst first, names kept as text, and filters by link", async () => {
    await go("/a/acc/r/latest/paths");
    await expect.poll(() => rows().count()).toBe(4);
    expect(await rows().nth(1).textContent()).toContain(`Exposed origin: ${HOSTILE[0]}`);
    await filterBy(watched.page, "Kind", "Open port");
    await watched.page.getByText("1 of 3 attack paths").waitFor();
    await watched.page.reload();
    await watched.page.getByText("1 of 3 attack paths").waitFor();
    await watched.page.getByLabel("Search in the attack paths").fill("zzz");
    await watched.page.getByRole("button", { name: "Clear the filters" }).click();
    await expect.poll(() => rows().count()).toBe(4);
    expect(search().size).toBe(0);
    expect(await watched.page.getByLabel("Search in the attack paths").inputValue()).toBe("");
  });

  it("sorts by a heading and by the menu, shows the chosen columns, and keeps both under a name", async () => {
    await go("/a/acc/r/latest/paths");
    const { page } = watched;
    const heading = (name: string) => page.getByRole("columnheader", { name });
    await heading("Attack path").getByRole("button").click();
    await expect.poll(() => heading("Attack path").getAttribute("aria-sort")).toBe("ascending");
    await expect.poll(() => mock.log.some((line) => /paths\?.*sort=title/.test(line))).toBe(true);
    await choose(page, "Sort: Name", "Shortest first");
    await expect.poll(() => heading("Hops").getAttribute("aria-sort")).toBe("ascending");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "Kind" }).check();
    await heading("Kind").waitFor();
    await page.getByRole("checkbox", { name: "Entry" }).uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByLabel("Name of the view").fill("Short ones");
    await page.getByRole("button", { name: "Save this view" }).click();
    await page.getByRole("link", { name: "Short ones" }).waitFor();
    expect(mock.views).toMatchObject([
      { page: "paths", query: "sort=hops&columns=severity%2Cpath%2Chops%2Ctarget%2Cfixes%2Ckind" },
    ]);
    await go("/a/acc/r/latest/paths");
    await heading("Entry").waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("link", { name: "Short ones" }).click();
    await heading("Kind").waitFor();
    expect(await heading("Entry").count()).toBe(0);
  });

  it("shows the paths through one resource, and all again", async () => {
    await go("/a/acc/r/latest/paths?node=origin:192.0.2.1");
    await chips(watched.page).getByText("192.0.2.1").waitFor();
    expect(search().get("node")).toBe("origin:192.0.2.1");
    await watched.page.getByRole("button", { name: "Remove the filter Through: 192.0.2.1" }).click();
    await watched.page.getByText("3 attack paths").first().waitFor();
    expect(search().size).toBe(0);
  });

  it("shows the paths that one change breaks, and all again", async () => {
    await go("/a/acc/r/latest/paths");
    const choke = watched.page.getByRole("listitem").filter({ hasText: "removes 3 of 3" });
    await choke.getByRole("link", { name: "The paths it breaks" }).click();
    await chips(watched.page).getByText("Admit only the provider's addresses.").waitFor();
    await watched.page.getByText("3 attack paths").first().waitFor();
    await watched.page.getByRole("button", { name: /^Remove the filter Broken by/ }).click();
    await expect.poll(() => search().size).toBe(0);
  });

  it("ranks the change that breaks most, with the finding all of them hang on", async () => {
    await go("/a/acc/r/latest/paths");
    const choke = watched.page.getByRole("listitem").filter({ hasText: "removes 3 of 3" });
    await choke.getByText("Admit only the provider's addresses.").waitFor();
    await choke.getByRole("link", { name: "The finding" }).click();
    await watched.page.getByRole("dialog").getByText("Evidence").waitFor();
    expect(search().get("finding")).toBe(mock.assessments[0]?.findings[1]?.id);
  });

  it("shows one path hop by hop, with what is behind it and what breaks it", async () => {
    await go("/a/acc/r/latest/paths");
    await rows().nth(1).getByRole("link").click();
    const hops = watched.page.getByRole("list", { name: "Hops from the entry to the target" });
    await hops.getByText("resolves to").waitFor();
    expect(await hops.getByRole("link").allTextContents()).toEqual(["Internet", HOSTILE[0], "192.0.2.1"]);
    await watched.page.getByText("Proxy the record 0.").waitFor();
    await watched.page.getByText("Anyone on the internet reaches the server.").waitFor();
    const behind = watched.page.getByRole("region", { name: "Findings behind it" }).getByRole("link");
    await expect.poll(() => behind.count()).toBe(2);
    await behind.first().click();
    await watched.page.getByRole("dialog").getByText("Evidence").waitFor();
  });

  it("explains a finding that is graver or milder than the path it is on, on either page", async () => {
    const [path] = posture(mock.assessments[0]?.findings ?? [], uuid(2)).attackPaths;
    const behind = (mock.assessments[0]?.findings ?? []).filter(({ id }) => path?.findingIds.includes(id));
    for (const [severity, explained] of [
      ["medium", true],
      [path?.severity ?? "critical", false],
    ] as const) {
      for (const finding of behind) finding.severity = severity as "medium";
      await go(`/a/acc/r/latest/paths/${path?.id}`);
      await watched.page.getByRole("region", { name: "Findings behind it" }).getByRole("link").first().waitFor();
      expect(await watched.page.getByText("that of the path of what lies at its end").count()).toBe(explained ? 1 : 0);
      await go(`/a/acc/r/latest/findings/${behind[0]?.id}`);
      await watched.page.getByRole("link", { name: path?.title ?? "" }).waitFor();
      const link = watched.page.getByRole("listitem").filter({ hasText: path?.title ?? "" });
      expect((await link.textContent())?.includes(path?.severityReason ?? "?")).toBe(explained);
    }
  });

  it("says that a path is not there, that there is none, and that it is not known", async () => {
    await go("/a/acc/r/latest/paths/ap:none");
    await watched.page.getByText("No such attack path here").waitFor();
    mock.graph = { ...posture([], uuid(2)), attackPaths: [] };
    await go("/a/acc/r/latest/paths");
    await watched.page.getByText("No attack path", { exact: true }).waitFor();
    mock.failing.set(`/api/assessments/${uuid(2)}/paths`, problem(503, { detail: "Busy." }));
    await go("/a/acc/r/latest/paths");
    await watched.page.getByText("could not be loaded").waitFor();
    expect(await watched.page.getByText("No attack path").count()).toBe(0);
    mock.failing.clear();
    await watched.page.getByRole("button", { name: "Try again" }).click();
    await watched.page.getByText("No attack path", { exact: true }).waitFor();
  });
});

describe("map", () => {
  const zones = () => watched.page.getByRole("navigation", { name: "Map of" });
  const flow = () => watched.page.getByRole("region", { name: "Flow of" });
  const table = () => watched.page.getByRole("table", { name: "Resources" });
  const find = () => watched.page.getByRole("combobox", { name: "Search in the resources" });

  it("shows zones by their risk, in the colours of the theme, and opens one as a flow", async () => {
    await go("/a/acc/r/latest/map");
    const tile = zones().getByRole("link", { name: "shop.example" });
    expect(await zones().getByRole("link").first().textContent()).toContain("shop.example");
    expect(await tile.getAttribute("title")).toMatch(/^shop\.example: \d+ resources?, worst finding critical/);
    expect(await tile.textContent()).toMatch(/\d resources?, worst finding critical/);
    const colour = () => tile.evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await colour()).toBe("rgb(251, 230, 238)");
    await watched.page.getByRole("radio", { name: "dark" }).check({ force: true });
    await expect.poll(colour).toBe("rgb(61, 18, 36)");
    await tile.click();
    await watched.page.getByText("1 host is open to the internet, 1 past Cloudflare.").waitFor();
    expect(Object.fromEntries(search())).toEqual({ zone: "1" });
    await flow().getByRole("button", { name: "192.0.2.1" }).waitFor();
    const places = await flow()
      .getByRole("button")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ left, top }) => ({ left, top })));
    expect(places).toEqual(places.toSorted((a, b) => a.left - b.left || a.top - b.top));
    await watched.page.getByRole("button", { name: "All zones" }).click();
    await zones().waitFor();
    expect(search().size).toBe(0);
  });

  it("shows a zone that a finding points at in the flow of the zone", async () => {
    await go("/a/acc/r/latest/map?node=zone:1");
    await watched.page.getByText("1 host is open to the internet, 1 past Cloudflare.").waitFor();
    await flow().getByRole("button", { name: "192.0.2.1" }).waitFor();
  });

  it("shows a run under the account it is of", async () => {
    await go(`/a/other/r/${uuid(2)}/map?node=zone:1`);
    await expect.poll(() => new URL(watched.page.url()).pathname).toBe(`/a/acc/r/${uuid(2)}/map`);
    expect(search().get("node")).toBe("zone:1");
    await flow().getByRole("button", { name: "192.0.2.1" }).waitFor();
  });

  it.each(some(2, HANDS))("finds one hostname among 20,000 by its name and one choice, by %s", async (hand) => {
    mock.graph = { assessmentId: uuid(2), graph: bigGraph(20_000), attackPaths: [] };
    await go("/a/acc/r/latest/map");
    if (hand === "keys") await tabTo(find());
    else await find().click();
    await watched.page.keyboard.type("host-17.zone-123.example");
    const option = watched.page.getByRole("option", { name: "host-17.zone-123.example" }).first();
    await option.waitFor();
    if (hand === "mouse") await option.click();
    else {
      await watched.page.keyboard.press("ArrowDown");
      await watched.page.keyboard.press("Enter");
    }
    await flow().getByRole("button", { name: "host-17.zone-123.example" }).waitFor();
    expect(search().get("node")).toBe("dns:123:17");
  });

  it.each(
    some(3, [
      [1440, 900],
      [900, 1200],
      [390, 844],
      [320, 640],
    ]),
  )("has a name that can be read whole on every tile and card, %i × %i", async (width, height) => {
    await watched.page.setViewportSize({ width, height });
    mock.graph = { assessmentId: uuid(2), graph: bigGraph(12_000), attackPaths: [] };
    await go("/a/acc/r/latest/map");
    const names = zones().locator("a > b");
    await names.first().waitFor();
    const cut = () =>
      names.evaluateAll((all) =>
        all
          .filter((name) => {
            const [box, tile] = [name.getBoundingClientRect(), (name.parentElement as Element).getBoundingClientRect()];
            return (
              name.scrollWidth > name.clientWidth ||
              name.scrollHeight > name.clientHeight ||
              box.bottom > tile.bottom ||
              box.height < 12
            );
          })
          .map((name) => name.textContent),
      );
    // 200 zones: those without room are one tile more, which has a name, too.
    expect(await names.count()).toBeGreaterThan(5);
    expect(
      await zones()
        .getByText(/more areas?$/)
        .count(),
    ).toBe(1);
    await expect.poll(cut).toEqual([]);
    await zones().getByRole("link").first().click();
    await flow().getByRole("button").first().waitFor();
    const unnamed = await flow()
      .getByRole("button")
      .evaluateAll((all) => all.filter((card) => !/\w{3}/.test(card.textContent ?? "")).length);
    expect(unnamed).toBe(0);
  });

  it.each([
    [1280, 720],
    [700, 900],
  ])("shows whole lines on tiles or none, %i × %i", async (width, height) => {
    await watched.page.setViewportSize({ width, height });
    const long = JSON.stringify(bigGraph(1500)).replaceAll("zone-", "granite-studio-works-");
    mock.graph = { assessmentId: uuid(2), graph: JSON.parse(long), attackPaths: [] };
    await go("/a/acc/r/latest/map");
    await zones().locator("a > b").first().waitFor();
    const halves = await zones()
      .locator("a > *")
      .evaluateAll((all) =>
        all.flatMap((part) => {
          const [box, tile] = [part.getBoundingClientRect(), (part.parentElement as Element).getBoundingClientRect()];
          const whole = box.right <= tile.right && box.bottom <= tile.bottom;
          return whole || box.left >= tile.right ? [] : [part.parentElement?.textContent];
        }),
      );
    expect(halves).toEqual([]);
  });

  it("goes from tile to tile by the arrow keys, with one tab stop", async () => {
    await go("/a/acc/r/latest/map");
    const focused = () => watched.page.evaluate(() => document.activeElement?.textContent);
    await zones().getByRole("link").first().focus();
    const first = await focused();
    await watched.page.keyboard.press("ArrowRight");
    await expect.poll(focused).not.toBe(first);
    await watched.page.keyboard.press("ArrowLeft");
    await expect.poll(focused).toBe(first);
    expect(await zones().locator("[tabindex='0']").count()).toBe(1);
    await watched.page.keyboard.press("Enter");
    await flow().waitFor();
  });

  it("finds a resource by its name, by mouse and by keys, and shows what leads to it", async () => {
    await go("/a/acc/r/latest/map");
    await find().fill("192.0");
    await watched.page.getByText("1 of 25 resources").waitFor();
    await watched.page.getByRole("option", { name: "192.0.2.1" }).click();
    await expect.poll(() => Object.fromEntries(search())).toEqual({ node: "origin:192.0.2.1" });
    await watched.page.getByText("3 attack paths").first().waitFor();
    await flow().getByRole("button", { name: HOSTILE[0] }).click();
    await watched.page.getByRole("complementary").getByRole("heading", { name: HOSTILE[0] }).waitFor();
    await find().fill("shop.ex");
    await watched.page.getByRole("option").first().waitFor();
    await watched.page.keyboard.press("ArrowDown");
    await watched.page.keyboard.press("Enter");
    await expect.poll(() => Object.fromEntries(search())).toEqual({ zone: "1" });
    await table().getByRole("link", { name: "host-3.shop.example" }).click();
    await expect.poll(() => search().get("node")).toBe("dns:1:3");
    await watched.page.getByRole("button", { name: "Close the resource" }).click();
    await zones().waitFor();
  });

  it("filters by severity and type, which the table follows", async () => {
    await go("/a/acc/r/latest/map?types=dns_record");
    await watched.page.getByText("20 of 25 resources").waitFor();
    await watched.page.getByRole("button", { name: "Critical" }).click();
    await watched.page.getByText("4 of 25 resources").waitFor();
    await expect.poll(() => watched.page.url()).toContain("types=dns_record&severity=critical");
    await go("/a/acc/r/latest/map?types=dns_record&q=zzz");
    await watched.page.getByRole("button", { name: "Clear the filters" }).click();
    await watched.page.getByText("25 resources").first().waitFor();
  });

  it("draws an attack path on the flow of its zone, and only what leads past Cloudflare", async () => {
    await go("/a/acc/r/latest/map?zone=1");
    await watched.page.getByLabel("Attack path").selectOption({ index: 1 });
    await expect.poll(() => search().get("path")).toMatch(/^ap:/);
    const lines = watched.page.getByRole("list", { name: "Lines" });
    await lines.getByText("attack path").waitFor();
    await watched.page.getByRole("button", { name: "Only past Cloudflare" }).click();
    await expect.poll(() => search().get("direct")).toBe("yes");
    await go(`/a/acc/r/latest/map?path=${PATH}`);
    await flow().getByRole("button").nth(2).waitFor();
    expect(await flow().getByRole("button").count()).toBe(3);
    expect(await table().getByRole("row").count()).toBe(4);
  });

  it("marks what changed since the run before, on the tiles, in the table and in words", async () => {
    mock.drift = driftOnMap(mock.assessments[0]?.findings ?? []);
    await go("/a/acc/r/latest/map");
    await watched.page.getByLabel("Compare with").selectOption("the run before");
    await watched.page.getByText("2 resources with new or regressed findings").waitFor();
    await watched.page.getByText("1 resource with resolved findings").waitFor();
    expect(search().get("against")).toBe("before");
    expect(mock.log.some((line) => line.includes(`{"baselineId":"${uuid(1)}","currentId":"${uuid(2)}"}`))).toBe(true);
    expect(await zones().getByRole("link", { name: "shop.example" }).textContent()).toContain("2 new or regressed");
    const changed = (n: number) => table().getByRole("row").nth(n).getByRole("cell").nth(2).textContent();
    expect([await changed(1), await changed(2), await changed(3)]).toEqual([
      " 1 new or regressed",
      " 1 new or regressed 1 resolved",
      "",
    ]);
    await go("/a/acc/r/latest/map?node=zone:1&zone=1&against=before");
    await watched.page.getByText("1 finding new or regressed, 1 resolved since the other run.").waitFor();
    await watched.page.getByLabel("Compare with").selectOption(uuid(1));
    await watched.page.getByText("2 resources with new or regressed findings").waitFor();
    await watched.page.getByRole("link", { name: "Every change" }).click();
    await section("New").waitFor();
    expect(Object.fromEntries(search())).toEqual({ from: uuid(1), to: uuid(2) });
  });

  it("keeps the map when there is nothing to compare with, or it cannot be read", async () => {
    mock.failing.set("/api/diff", problem(503));
    await go("/a/acc/r/latest/map?against=before");
    await watched.page.getByText("The assessments could not be compared.").waitFor();
    expect(await table().getByRole("row").count()).toBeGreaterThan(1);
    expect(await watched.page.getByText("new or regressed").count()).toBe(0);
    mock.failing.clear();
    await watched.page.getByRole("button", { name: "Try again" }).click();
    await watched.page.getByText("with new or regressed findings").waitFor();
    await go(`/a/acc/r/${uuid(1)}/map?against=before`);
    await watched.page.getByText("There is no run before this one.").waitFor();
    await go(`/a/acc/r/${uuid(1)}/map?against=${uuid(1)}`);
    await watched.page.getByText("This is the same assessment").waitFor();
    await table().waitFor();
  });

  it("saves the view as PNG and as SVG, names kept as text", async () => {
    mock.drift = driftOnMap(mock.assessments[0]?.findings ?? []);
    await go(`/a/acc/r/latest/map?node=dns:1:0&path=${PATH}&against=before`);
    await watched.page.getByText("with new or regressed findings").waitFor();
    await flow().getByRole("button", { name: "192.0.2.1" }).waitFor();
    const saved = async (kind: string) => {
      const download = watched.page.waitForEvent("download");
      await watched.page.getByRole("button", { name: `Save as ${kind}` }).click();
      expect((await download).suggestedFilename()).toMatch(
        new RegExp(`^edgeposture-northwind-traders-demo-\\d{4}-\\d\\d-\\d\\d-map\\.${kind.toLowerCase()}$`),
      );
      return readFile(await (await download).path());
    };
    expect((await saved("PNG")).subarray(1, 4).toString()).toBe("PNG");
    const drawn = await watched.page.evaluate((file) => {
      const { documentElement: svg } = new DOMParser().parseFromString(file, "image/svg+xml");
      const all = [...svg.querySelectorAll("*")];
      return {
        tags: [...new Set([svg, ...all].map(({ localName }) => localName))].sort(),
        attributes: [...new Set(all.flatMap((element) => element.getAttributeNames()))],
        texts: all.filter(({ localName }) => localName === "text").map(({ textContent }) => textContent),
        title: svg.querySelector("title")?.textContent,
      };
    }, (await saved("SVG")).toString());
    expect(drawn.tags).toEqual(["path", "rect", "svg", "text", "title"]);
    expect(drawn.attributes.filter((name) => /^on|href|style|class/.test(name))).toEqual([]);
    expect(drawn.texts).toContain(HOSTILE[0]);
    expect(drawn.title).toMatch(/^Northwind Traders \(demo\), .* UTC\. Flow of /);
    await watched.page.evaluate(() => {
      HTMLCanvasElement.prototype.toBlob = (done) => done(null);
    });
    await watched.page.getByRole("button", { name: "Save as PNG" }).click();
    await watched.page.getByText("The picture could not be made").waitFor();
  });

  it("says that it could not be loaded, or that there is nothing", async () => {
    mock.failing.set("/api/posture", problem(503));
    await go("/a/acc/r/latest/map");
    await watched.page.getByText(uuid(7777)).waitFor();
    expect(await zones().count()).toBe(0);
    mock.failing.clear();
    await watched.page.getByRole("button", { name: "Try again" }).click();
    await table().waitFor();
    await go("/a/acc/r/latest/map?node=worker:gone");
    await watched.page.getByText("This assessment has no resource worker:gone.").waitFor();
  });
});

describe("drift", () => {
  it("compares the two newest, and says who changed what", async () => {
    await go("/a/acc/drift");
    await section("New").getByText(`${HOSTILE[0]}: zone setting changed by api token`).waitFor();
    await section("Became unreadable").getByText("The read was refused.").waitFor();
    for (const name of ["Regressed", "Improved", "Resolved", "Changed"])
      await section(name).getByRole("table").waitFor();
    expect(mock.log.some((line) => line.includes(`{"baselineId":"${uuid(1)}","currentId":"${uuid(2)}"}`))).toBe(true);
    await section("Attack paths that appeared").getByRole("link").waitFor();
    const fixed = await section("Resolved").getByRole("link").getAttribute("href");
    expect(fixed).toContain(`/r/${uuid(1)}/findings`);
  });

  it("swaps, leaves only regressions, and keeps both in the address", async () => {
    await go("/a/acc/drift");
    await section("Resolved").waitFor();
    await watched.page.getByLabel("Only regressions").check();
    await section("Resolved").waitFor({ state: "detached" });
    await section("Regressed").waitFor();
    await watched.page.getByRole("button", { name: "Swap" }).click();
    await watched.page.getByText("The later assessment is compared with:").waitFor();
    expect(Object.fromEntries(search())).toEqual({ from: uuid(2), to: uuid(1), only: "worse" });
    await watched.page.reload();
    await watched.page.getByText("The later assessment is compared with:").waitFor();
    await watched.page.getByLabel("After").selectOption(uuid(2));
    await watched.page.getByText("The same assessment twice").waitFor();
  });

  it("gives no difference of scores that do not compare, and says why", async () => {
    mock.drift = { ...emptyDrift(), scoreDelta: null, scoreNote: "too little could be judged before", apart: 3 };
    await go("/a/acc/drift");
    await watched.page.getByText("too little could be judged before. What only one of them was asked").waitFor();
    await watched.page.getByText("Score 80 before, 74 after. ").waitFor();
  });

  it("says that nothing changed, that there is nothing to compare, and what failed", async () => {
    mock.drift = emptyDrift();
    await go("/a/acc/drift");
    await watched.page.getByText("Nothing changed", { exact: true }).waitFor();
    await go(`/a/acc/drift?from=${uuid(77)}`);
    await watched.page.getByText("These two cannot be compared.").waitFor();
    mock.failing.set("/api/diff", problem(503));
    await go("/a/acc/drift");
    await watched.page.getByText("The assessments could not be compared.").waitFor();
    await watched.page.getByText("Nothing changed", { exact: true }).waitFor({ state: "detached" });
    mock.failing.clear();
    await watched.page.getByRole("button", { name: "Try again" }).click();
    await watched.page.getByText("Nothing changed", { exact: true }).waitFor();
    mock.assessments = mock.assessments.slice(0, 1);
    await go("/a/acc/drift");
    await watched.page.getByText("Nothing to compare yet").waitFor();
  });

  it("is one step from the overview", async () => {
    await go("/a/acc");
    await watched.page.getByRole("link", { name: "All changes" }).press("Enter"); // what loads above moves it
    await section("New").waitFor();
    expect(Object.fromEntries(search())).toEqual({ from: uuid(1), to: uuid(2) });
  });
});

describe("compliance", () => {
  it("leads to the first framework and keeps the filter in another", async () => {
    await go("/a/acc/r/latest/compliance");
    await watched.page
      .getByRole("img", { name: "CIS Controls, 5 controls: 1 fail, 1 partly met, 1 pass, 1 not assessed" })
      .waitFor();
    expect(new URL(watched.page.url()).pathname).toBe("/a/acc/r/latest/compliance/cis");
    await watched.page.getByText(`Encrypt in transit ${HOSTILE[0]}`).waitFor();
    // 0.9996 is not all.
    await watched.page.getByText("99.9 %").waitFor();
    await watched.page.getByLabel("Status of the controls").selectOption("gap");
    await watched.page.getByText("1 of 5 controls").waitFor();
    await watched.page.getByRole("img", { name: ", 1 not assessed" }).waitFor();
    await watched.page.getByRole("link", { name: "SOC 2" }).click();
    await watched.page.getByText("1 of 5 controls").waitFor();
    await expect.poll(() => watched.page.url().slice(mock.url.length)).toBe("/a/acc/r/latest/compliance/soc2?show=gap");
  });

  it("leads to the checks and findings behind a control", async () => {
    await go("/a/acc/r/latest/compliance/cis?q=transit");
    await watched.page.getByRole("link", { name: /findings? of control 3\.10/ }).click();
    await watched.page.getByRole("grid").waitFor();
    expect(search().get("result")).toBeNull();
    expect(search().get("check")).toContain("CFL-SSL-004");
    await watched.page.goBack();
    expect(await watched.page.getByText("CFL-SSL-004").count()).toBe(0);
    await watched.page.getByLabel("the evidence for control 3.10").click();
    await watched.page.getByRole("link", { name: "CFL-SSL-004" }).click();
    await expect.poll(() => Object.fromEntries(search())).toEqual({ q: "CFL-SSL-004", result: "all" });
  });

  it("says what it does not know", async () => {
    await go("/a/acc/r/latest/compliance/iso");
    await watched.page.getByText("No such framework").waitFor();
    mock.failing.set("/api/compliance", problem(500));
    await go("/a/acc/r/latest/compliance/cis");
    await watched.page.getByText("could not be loaded").waitFor();
    expect(await watched.page.getByText("of 100, the mean").count()).toBe(0);
  });
});

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { assessment, HOSTILE, problem, uuid } from "./fixtures/account.ts";
import { driftOnMap, emptyDrift, posture } from "./fixtures/graph.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

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
    await watched.page.getByLabel("Kind").selectOption("open-port");
    await watched.page.getByText("1 of 3 attack paths").waitFor();
    await watched.page.reload();
    await watched.page.getByText("1 of 3 attack paths").waitFor();
    await watched.page.getByLabel("Search in the attack paths").fill("zzz");
    await watched.page.getByRole("button", { name: "Clear the filters" }).click();
    await expect.poll(() => rows().count()).toBe(4);
    expect(search().size).toBe(0);
    expect(await watched.page.getByLabel("Search in the attack paths").inputValue()).toBe("");
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
    const behind = watched.page.getByRole("region", { name: "Findings behind it" }).getByRole("link");
    await expect.poll(() => behind.count()).toBe(2);
    await behind.first().click();
    await watched.page.getByRole("dialog").getByText("Evidence").waitFor();
  });

  it("says that a path is not there, that there is none, and that it is not known", async () => {
    await go("/a/acc/r/latest/paths/ap:none");
    await watched.page.getByText("No such attack path here").waitFor();
    mock.graph = { ...posture([], uuid(2)), attackPaths: [] };
    await go("/a/acc/r/latest/paths");
    await watched.page.getByText("No attack path", { exact: true }).waitFor();
    mock.failing.set("/api/posture", problem(503, { detail: "Busy." }));
    await go("/a/acc/r/latest/paths");
    await watched.page.getByText("could not be loaded").waitFor();
    expect(await watched.page.getByText("No attack path").count()).toBe(0);
    mock.failing.clear();
    await watched.page.getByRole("button", { name: "Try again" }).click();
    await watched.page.getByText("No attack path", { exact: true }).waitFor();
  });
});

describe("map", () => {
  const map = () => watched.page.getByRole("application");
  const table = () => watched.page.getByRole("table", { name: "Resources" });
  /** How many different colours the middle row of the canvas has: an empty canvas has one. */
  const colours = () =>
    watched.page.locator("canvas").evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      const seen = new Set<number>();
      for (let i = 0; i < pixels.length; i += 4)
        seen.add((pixels[i] ?? 0) * 65_536 + (pixels[i + 1] ?? 0) * 256 + (pixels[i + 2] ?? 0));
      return [...seen];
    });

  it("draws, and draws again in the other theme", async () => {
    await go("/a/acc/r/latest/map");
    await table().waitFor();
    const light = await colours();
    expect(light.length).toBeGreaterThan(8);
    expect(light).toContain(0xffffff);
    expect(light).toContain(0x7a0b3c);
    await watched.page.getByRole("radio", { name: "dark" }).check({ force: true });
    await expect.poll(colours).toContain(0xff4d9d);
    expect(await colours()).not.toContain(0xffffff);
  });

  it("chooses by keys, by click and by table, and keeps it in the address", async () => {
    await go("/a/acc/r/latest/map?node=zone:1");
    await watched.page.getByRole("heading", { name: "shop.example" }).waitFor();
    await map().focus();
    await watched.page.keyboard.press("ArrowDown");
    await expect.poll(() => search().get("node")).toMatch(/^dns:1:/);
    await watched.page.keyboard.press("Enter");
    await expect.poll(() => watched.page.evaluate(() => document.activeElement?.tagName)).toBe("H2");
    await map().focus();
    await watched.page.keyboard.press("/");
    await watched.page.keyboard.type("192.0");
    await watched.page.getByText("1 of 25 resources").waitFor();
    await table().getByRole("button", { name: "192.0.2.1" }).click();
    await expect.poll(() => search().get("node")).toBe("origin:192.0.2.1");
    await watched.page.getByText("3 attack paths").waitFor();
    await watched.page.getByRole("button", { name: HOSTILE[0] }).click();
    await watched.page.getByRole("heading", { name: HOSTILE[0] }).waitFor();
    await map().focus();
    await watched.page.keyboard.press("Escape");
    await watched.page.getByText("What the map shows").waitFor();
  });

  it("picks the resource under the pointer, after zooming and moving too", async () => {
    await go("/a/acc/r/latest/map?node=zone:1");
    const box = await watched.page.locator("canvas").boundingBox();
    if (!box) throw new Error("the canvas has no box");
    await map().focus();
    for (const key of ["0", "+", "-"]) await watched.page.keyboard.press(key);
    await watched.page.mouse.move(box.x + 300, box.y + 200);
    await watched.page.mouse.wheel(0, 100);
    await watched.page.mouse.wheel(0, -100);
    await watched.page.keyboard.press("Escape");
    await watched.page.getByText("What the map shows").waitFor();
    // The first resource of a filter that leaves one is in the middle when it is looked for.
    await go("/a/acc/r/latest/map?node=origin:192.0.2.1&q=192.0");
    await watched.page.getByRole("heading", { name: "192.0.2.1" }).waitFor();
    await watched.page.getByRole("button", { name: "Close the resource" }).click();
    for (let x = 40; x < box.width && search().get("node") === null; x += 16)
      for (let y = 40; y < box.height && search().get("node") === null; y += 16)
        await watched.page.mouse.click(box.x + x, box.y + y);
    expect(search().get("node")).toBe("origin:192.0.2.1");
  });

  it("filters by severity, type and zone, which the table follows", async () => {
    await go("/a/acc/r/latest/map?types=dns_record");
    await watched.page.getByText("20 of 25 resources").waitFor();
    await watched.page.getByRole("button", { name: "Critical" }).click();
    await watched.page.getByText("4 of 25 resources").waitFor();
    await expect.poll(() => watched.page.url()).toContain("types=dns_record&severity=critical");
    await watched.page.getByLabel("Zone", { exact: true }).selectOption("2");
    await watched.page.getByRole("button", { name: "Clear the filters" }).click();
    await watched.page.getByText("25 resources").first().waitFor();
  });

  it("shows only what is within a few hops of the chosen one, in the table too", async () => {
    await go("/a/acc/r/latest/map?node=dns:1:0");
    await watched.page.getByRole("button", { name: "1 hop", exact: true }).click();
    await watched.page.getByText(`4 of 25 resources, within 1 hop of ${HOSTILE[0]}`).waitFor();
    expect(search().get("hops")).toBe("1");
    await expect.poll(() => table().getByRole("row").count()).toBe(5);
    await watched.page.getByRole("button", { name: "3 hops" }).click();
    // The account is two hops away, and what else belongs to it is not looked at.
    await watched.page.getByText("6 of 25 resources, within 3 hops").waitFor();
    await watched.page.reload();
    await watched.page.getByText("6 of 25 resources, within 3 hops").waitFor();
    await table().getByRole("button", { name: "Northwind" }).click();
    await watched.page.getByText("6 of 25 resources, within 3 hops of Northwind").waitFor();
    await map().focus();
    await watched.page.keyboard.press("Escape");
    await watched.page.getByText("25 resources", { exact: true }).waitFor();
    expect(search().size).toBe(0);
    await go("/a/acc/r/latest/map?node=dns:1:0&hops=2");
    await watched.page.getByRole("button", { name: "Show all" }).press("Enter");
    await watched.page.getByText("25 resources", { exact: true }).waitFor();
    expect(Object.fromEntries(search())).toEqual({ node: "dns:1:0" });
  });

  it("marks what changed since the run before, in the canvas, the table and in words", async () => {
    mock.drift = driftOnMap(mock.assessments[0]?.findings ?? []);
    await go("/a/acc/r/latest/map");
    await table().waitFor();
    const plain = await watched.page.locator("canvas").screenshot();
    await watched.page.getByLabel("Compare with").selectOption("the run before");
    await watched.page.getByText("2 resources with new or worse findings").waitFor();
    await watched.page.getByText("1 resource with fixed findings").waitFor();
    expect(search().get("against")).toBe("before");
    expect(mock.log.some((line) => line.includes(`{"baselineId":"${uuid(1)}","currentId":"${uuid(2)}"}`))).toBe(true);
    expect(await watched.page.getByRole("img", { name: "Map of" }).getAttribute("aria-label")).toContain(
      "2 resources with new or worse findings, 1 with fixed ones.",
    );
    await expect.poll(async () => plain.equals(await watched.page.locator("canvas").screenshot())).toBe(false);
    await watched.page.getByRole("listitem").filter({ hasText: "New or worse findings" }).waitFor();
    const changed = (n: number) => table().getByRole("row").nth(n).getByRole("cell").nth(2).textContent();
    expect([await changed(1), await changed(2), await changed(3)]).toEqual([
      " 1 new or worse",
      " 1 new or worse 1 fixed",
      "",
    ]);
    await table().getByRole("button", { name: "shop.example", exact: true }).click();
    await watched.page.getByText("1 finding new or worse, 1 fixed since the other run.").waitFor();
    await watched.page.getByLabel("Compare with").selectOption(uuid(1));
    await watched.page.getByText("2 resources with new or worse findings").waitFor();
    await watched.page.getByRole("link", { name: "Every change" }).click();
    await section("New").waitFor();
    expect(Object.fromEntries(search())).toEqual({ from: uuid(1), to: uuid(2) });
  });

  it("keeps the map when there is nothing to compare with, or it cannot be read", async () => {
    mock.failing.set("/api/diff", problem(503));
    await go("/a/acc/r/latest/map?against=before");
    await watched.page.getByText("The assessments could not be compared.").waitFor();
    expect(await table().getByRole("row").count()).toBeGreaterThan(1);
    expect(await watched.page.getByText("new or worse").count()).toBe(0);
    mock.failing.clear();
    await watched.page.getByRole("button", { name: "Try again" }).click();
    await watched.page.getByText("with new or worse findings").waitFor();
    await go(`/a/acc/r/${uuid(1)}/map?against=before`);
    await watched.page.getByText("There is no run before this one.").waitFor();
    await go(`/a/acc/r/${uuid(1)}/map?against=${uuid(1)}`);
    await watched.page.getByText("This is the same assessment").waitFor();
    await table().waitFor();
  });

  it("saves the view as PNG and as SVG, names kept as text", async () => {
    mock.drift = driftOnMap(mock.assessments[0]?.findings ?? []);
    await go(`/a/acc/r/latest/map?node=dns:1:0&path=${PATH}&against=before`);
    await watched.page.getByText("with new or worse findings").waitFor();
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
    expect(drawn.tags).toEqual(["path", "svg", "text", "title"]);
    expect(drawn.attributes.filter((name) => /^on|href|style|class/.test(name))).toEqual([]);
    expect(drawn.texts).toContain(HOSTILE[0]);
    expect(drawn.title).toMatch(/^Northwind Traders \(demo\), .* UTC\. Map of 25 resources/);
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
    expect(await watched.page.locator("canvas").count()).toBe(0);
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
    for (const name of ["Worse", "Better", "Fixed", "Changed"]) await section(name).getByRole("table").waitFor();
    expect(mock.log.some((line) => line.includes(`{"baselineId":"${uuid(1)}","currentId":"${uuid(2)}"}`))).toBe(true);
    await section("Attack paths that appeared").getByRole("link").waitFor();
    const fixed = await section("Fixed").getByRole("link").getAttribute("href");
    expect(fixed).toContain(`/r/${uuid(1)}/findings`);
  });

  it("swaps, leaves only regressions, and keeps both in the address", async () => {
    await go("/a/acc/drift");
    await section("Fixed").waitFor();
    await watched.page.getByLabel("Only regressions").check();
    await section("Fixed").waitFor({ state: "detached" });
    await section("Worse").waitFor();
    await watched.page.getByRole("button", { name: "Swap" }).click();
    await watched.page.getByText("The later assessment is compared with:").waitFor();
    expect(Object.fromEntries(search())).toEqual({ from: uuid(2), to: uuid(1), only: "worse" });
    await watched.page.reload();
    await watched.page.getByText("The later assessment is compared with:").waitFor();
    await watched.page.getByLabel("After").selectOption(uuid(2));
    await watched.page.getByText("The same assessment twice").waitFor();
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
    await watched.page.getByRole("link", { name: "All changes" }).click();
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
    await watched.page.getByRole("link", { name: "9 open findings of control 3.10" }).click();
    await watched.page.getByRole("grid").waitFor();
    expect(Object.fromEntries(search())).toMatchObject({ result: "FAIL,WARNING" });
    expect(search().get("check")).toContain("CFL-SSL-004");
    await watched.page.goBack();
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

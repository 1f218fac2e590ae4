import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Assessment, ColumnsAnswer } from "../src/api/types";
import { COLUMNS_TYPE, decodeColumns } from "../src/features/graph/columns.ts";
import { nodeOfFinding } from "../src/features/map/changes.ts";
import { launch, openPage, type Watched } from "./browser.ts";
import { hasService, type Service, startService } from "./fixtures/service.ts";

let browser: Browser;
let service: Service;
let watched: Watched;

// Without the binary these tests are left out on a developer's machine; on CI that is an error.
describe.skipIf(!hasService && !process.env.CI)("paths, map, compliance and drift of the demo account", () => {
  beforeAll(async () => {
    browser = await launch();
    service = await startService();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    watched = await openPage(browser, service.url);
    await watched.page.goto("/");
    await watched.page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
    await watched.page.getByText("What to do first").waitFor();
  });
  afterEach(async () => {
    await watched.close();
    expect(watched.complaints).toEqual([]);
  });

  const read = async <T>(path: string, accept = "application/json"): Promise<T> =>
    (await fetch(service.url + path, { headers: { Accept: accept } })).json();
  const menu = (name: string) =>
    watched.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();

  it("goes from the number of paths to one path, its hops and the map", async () => {
    const { page } = watched;
    const all = page.getByRole("link", { name: /^All \d+$/ }).and(page.locator("[href$='/paths']"));
    const paths = Number((await all.textContent())?.replace("All ", ""));
    expect(paths).toBeGreaterThan(10);
    await all.click();
    await page.getByText(`${paths} attack paths`).waitFor();
    await page
      .getByText(new RegExp(`removes \\d+ of ${paths}`))
      .first()
      .waitFor();
    // The number of what a change breaks is the number of paths its link lists.
    const choke = page
      .getByRole("listitem")
      .filter({ hasText: new RegExp(`removes \\d+ of ${paths}`) })
      .first();
    const broken = /removes (\d+)/.exec((await choke.textContent()) ?? "")?.[1];
    await choke.getByRole("link", { name: "The paths it breaks" }).click();
    await page.getByText(`${broken} of ${paths} attack paths`).waitFor();
    await page.getByRole("button", { name: /^Remove the filter Broken by/ }).click();
    await page.getByText(`${paths} attack paths`, { exact: true }).first().waitFor();
    await page.getByLabel("Search in the attack paths").fill("weak transport");
    await page.getByText(new RegExp(`^[1-9] of ${paths} attack paths$`)).waitFor();
    await page.getByRole("table", { name: "Attack paths" }).getByRole("link").first().click();
    const hops = page.getByRole("list", { name: "Hops from the entry to the target" });
    await hops.getByText("proxies").waitFor();
    await page.getByRole("region", { name: "Findings behind it" }).getByText("Critical").first().waitFor();
    // An id with colons, and one with slashes, is an address too.
    await page.reload();
    await hops.waitFor();
    await page.getByRole("link", { name: "Show on the map" }).click();
    await page.getByRole("heading", { name: "Weak transport" }).waitFor();
    await page.getByRole("region", { name: "Flow of Weak transport" }).getByRole("button").nth(1).waitFor();
  });

  it("maps the account, with the same resources in the table", async () => {
    const { page } = watched;
    await menu("Inventory and map");
    await page.getByText(/^1,0\d\d resources$/).waitFor();
    await page.getByRole("combobox", { name: "Search in the resources" }).fill("acme-blog.example");
    const table = page.getByRole("table", { name: "Resources" });
    await table.getByRole("link", { name: "acme-blog.example", exact: true }).first().waitFor();
    await page.getByRole("option", { name: "acme-blog.example Zone" }).click();
    await page.getByText(/hosts are open to the internet/).waitFor();
    await page.getByRole("combobox", { name: "Search in the resources" }).fill("backup-open");
    await page.getByRole("option", { name: "backup-open R2 bucket" }).click();
    await page.getByRole("complementary").getByRole("list", { name: "Findings" }).getByRole("link").first().click();
    await page.getByRole("dialog").getByText("Evidence").waitFor();
  });

  it("puts every finding on the node that the service put it on", async () => {
    const { assessments } = await read<{ assessments: { id: string }[] }>("/api/assessments?limit=1");
    const id = assessments[0]?.id ?? "";
    const { findings } = await read<Assessment>(`/api/assessments/${id}`);
    const { graph } = await read<ColumnsAnswer>(`/api/posture/graph?assessmentId=${id}`, COLUMNS_TYPE);
    const nodes = decodeColumns(graph);
    const kinds = new Set(findings.map(({ nodeId }) => nodeId.split(":")[0]));
    // One of every kind that a finding can lie on, so that no part of the rule goes untested.
    expect(kinds.size).toBe(9);
    expect(findings.filter((finding) => nodes.ids[nodeOfFinding(nodes, finding)] !== finding.nodeId)).toEqual([]);
  });

  it("judges controls by every framework", async () => {
    const { page } = watched;
    await menu("Compliance");
    for (const name of ["CIS Controls", "SOC 2", "PCI DSS", "NIST CSF"]) {
      await page.getByRole("link", { name }).click();
      await page.getByRole("link", { name, exact: true }).and(page.locator("[aria-current=page]")).waitFor();
      await page.getByText("of 100, the mean over").waitFor();
    }
  });

  it("compares two runs", async () => {
    const { page } = watched;
    await menu("Changes");
    await page.getByText("Run a second assessment to see what changed.").waitFor();
    await menu("Overview");
    await page.getByRole("button", { name: "Run assessment" }).click();
    await page.getByText("The run has finished").waitFor({ timeout: 45_000 });
    // By a key, for the link moves when the counts below it are there.
    const changed = page.getByRole("region", { name: "What changed since the last run" });
    await changed
      .getByText(/[Rr]esolved/)
      .first()
      .waitFor();
    await changed.getByRole("link", { name: "All changes" }).press("Enter");
    await page.getByText("In short").waitFor();
    await page.getByRole("button", { name: "Swap" }).click();
    await page.getByText("The later assessment is compared with:").waitFor();
  });
});

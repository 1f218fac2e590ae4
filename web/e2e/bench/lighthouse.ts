import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { launch } from "../browser.ts";
import { atLeast } from "../fixtures/figures.ts";
import { demoStage } from "../fixtures/gallery.ts";

const PAGES = ["", "/r/latest/issues", "/r/latest/findings", "/r/latest/map"];

/** As much of Lighthouse as is used. It has a package of its own (tools/lighthouse), so that no other test waits for it. */
interface Lighthouse {
  default: (
    url: string,
    flags: { port: number; logLevel: "error" },
    config: unknown,
  ) => Promise<{ lhr: { categories: Record<string, { title: string; score: number | null }> } } | undefined>;
  desktopConfig: unknown;
}
const ENTRY = new URL("../../../tools/lighthouse/node_modules/lighthouse/core/index.js", import.meta.url);

// Its desktop profile, which slows the network down: the dashboard is a tool for a desk.
it("Lighthouse", { timeout: 600_000 }, async () => {
  const { default: lighthouse, desktopConfig }: Lighthouse = await import(ENTRY.href);
  const { service, account } = await demoStage();
  onTestFinished(service.stop);
  const port = await freePort();
  const browser = await launch(`--remote-debugging-port=${port}`);
  onTestFinished(() => browser.close());
  const met: boolean[] = [];
  for (const page of PAGES) {
    const told = await lighthouse(`${service.url}/a/${account}${page}`, { port, logLevel: "error" }, desktopConfig);
    const categories = Object.values(told?.lhr.categories ?? {});
    expect(categories).toHaveLength(4);
    for (const { title, score } of categories) {
      const of = `Lighthouse, ${page.split("/").at(-1) || "overview"}: ${title}`;
      met.push(atLeast(of, Math.round(100 * (score ?? 0)), "of 100", 95));
    }
  }
  expect(met).not.toContain(false);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

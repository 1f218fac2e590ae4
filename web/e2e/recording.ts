import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Mediabunny from "mediabunny";
import type { Browser, Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { launch, openPage } from "./browser.ts";
import { demoStage, type Stage, stillness } from "./fixtures/gallery.ts";

/*
 * A minute of the demo as a film. What moves is recorded as it moves; how long a page is looked
 * at is written into the film, so nothing waits while it is made.
 */
const FILE = fileURLToPath(new URL("../../docs/tour.webm", import.meta.url));
const SIZE = { width: 1280, height: 800 };
const SECONDS = { from: 55, to: 66 };
const MOST = 3e6;
/** Enough for sharp text that mostly stands still. */
const BITS_PER_SECOND = 800_000;

const menu = (name: string) => (page: Page) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).first().click();
const first = (within: "main" | "nav", name: string | RegExp) => (page: Page) =>
  page
    .locator(within === "main" ? "#main" : "nav")
    .getByRole("link", { name })
    .first()
    .click();

/** What is done, and for how many seconds its outcome is looked at. */
const TOUR: [number, (page: Page, stage: Stage) => Promise<unknown>][] = [
  [4, (page, { account }) => page.goto(`/a/${account}`)],
  [2, scroll],
  [3, menu("Issues")],
  [5, (page, { account, check }) => page.goto(`/a/${account}/r/latest/issues/${check}`)],
  [3, scroll],
  [
    5,
    async (page) => {
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.getByRole("link", { name: /^Fix:/ }).first().click();
      await page.getByRole("list", { name: "Changes" }).waitFor();
    },
  ],
  [3, menu("Attack paths")],
  [5, (page) => page.getByRole("table", { name: "Attack paths" }).getByRole("link").first().click()],
  [4, menu("Inventory and map")],
  [5, (page) => page.getByRole("navigation", { name: "Map of" }).getByRole("link").first().click()],
  [1, menu("Issues")],
  [2, first("nav", "Findings")],
  [
    4,
    async (page) => {
      await page.getByLabel("Fields and text to filter by").pressSequentially("severity:high cat:dns");
      await page.keyboard.press("Escape");
      await page.waitForURL(/[?&](q|severity)=/);
    },
  ],
  [4, menu("Compliance")],
  [3, menu("Reports")],
  [
    3,
    (page) =>
      page
        .getByRole("button", { name: /^Fetch/ })
        .first()
        .click(),
  ],
];

interface Frame {
  image: string;
  seconds: number;
}

it("records the tour", { timeout: 300_000 }, async () => {
  const browser = await launch();
  onTestFinished(() => browser.close());
  const stage = await demoStage({
    SERVICE_ALLOW_REMEDIATION: "true",
    SERVICE_EDIT_SCOPE: randomBytes(32).toString("hex"),
  });
  onTestFinished(stage.service.stop);
  const frames = await record(browser, stage);
  const seconds = frames.reduce((sum, frame) => sum + frame.seconds, 0);
  const film = await encode(browser, frames);
  await writeFile(FILE, film);
  expect(seconds).toBeGreaterThan(SECONDS.from);
  expect(seconds).toBeLessThan(SECONDS.to);
  expect(film.length).toBeLessThan(MOST);
});

async function record(browser: Browser, stage: Stage): Promise<Frame[]> {
  const { page, close } = await openPage(browser, stage.service.url, { viewport: SIZE, colorScheme: "light" });
  const settled = stillness(page);
  const session = await page.context().newCDPSession(page);
  let seen: { image: string; at: number }[] = [];
  session.on("Page.screencastFrame", ({ data, metadata, sessionId }) => {
    seen.push({ image: data, at: metadata.timestamp ?? 0 });
    void session.send("Page.screencastFrameAck", { sessionId }).catch(() => undefined);
  });
  const frames: Frame[] = [];
  for (const [seconds, act] of TOUR) {
    seen = [];
    await session.send("Page.startScreencast", {
      format: "jpeg",
      quality: 90,
      maxWidth: SIZE.width,
      maxHeight: SIZE.height,
    });
    await act(page, stage);
    await settled();
    await session.send("Page.stopScreencast");
    const moving = seen.map(({ image, at }, i) => ({
      image,
      seconds: Math.min((seen[i + 1]?.at ?? at) - at, LONGEST),
    }));
    const image = (await page.screenshot({ type: "jpeg", quality: 90 })).toString("base64");
    frames.push(...moving.filter((frame) => frame.seconds > 0), { image, seconds });
  }
  await close();
  return frames;
}

/** A busy machine makes no film slow: what takes longer is cut to this. */
const LONGEST = 0.08;

async function scroll(page: Page): Promise<void> {
  for (let step = 1; step <= 24; step++) {
    await page.evaluate(
      (top) => new Promise((done) => requestAnimationFrame(() => done(window.scrollTo(0, top)))),
      step * 20,
    );
  }
}

async function encode(browser: Browser, frames: Frame[]): Promise<Buffer> {
  const context = await browser.newContext();
  const page = await context.newPage();
  // Encoders are for secure pages only, which those of this machine are.
  await page.route("**/*", (route) => route.fulfill({ contentType: "text/html", body: "<canvas></canvas>" }));
  await page.goto("http://127.0.0.1/");
  const folder = dirname(createRequire(import.meta.url).resolve("mediabunny"));
  await page.addScriptTag({ content: await readFile(join(folder, "mediabunny.cjs"), "utf8") });
  await page.evaluate(begin, { ...SIZE, bitrate: BITS_PER_SECOND });
  for (const frame of frames) await page.evaluate(add, frame);
  const film = Buffer.from(await page.evaluate(end), "base64");
  await context.close();
  return film;
}

interface Filming {
  Mediabunny: typeof Mediabunny;
  output: Mediabunny.Output<Mediabunny.WebMOutputFormat, Mediabunny.BufferTarget>;
  source: Mediabunny.CanvasSource;
  at: number;
}

async function begin({ width, height, bitrate }: { width: number; height: number; bitrate: number }): Promise<void> {
  const filming = window as unknown as Filming;
  const { Output, WebMOutputFormat, BufferTarget, CanvasSource } = filming.Mediabunny;
  const canvas = document.querySelector("canvas") as HTMLCanvasElement;
  Object.assign(canvas, { width, height });
  filming.output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
  filming.source = new CanvasSource(canvas, { codec: "vp9", bitrate, latencyMode: "quality" });
  filming.at = 0;
  filming.output.addVideoTrack(filming.source);
  await filming.output.start();
}

async function add({ image, seconds }: Frame): Promise<void> {
  const filming = window as unknown as Filming;
  const picture = new Image();
  picture.src = `data:image/jpeg;base64,${image}`;
  await picture.decode();
  const canvas = document.querySelector("canvas") as HTMLCanvasElement;
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  // What is looked at is drawn anew, without the traces of what was there.
  await filming.source.add(filming.at, seconds, { keyFrame: seconds >= 1 });
  filming.at += seconds;
}

async function end(): Promise<string> {
  const { output } = window as unknown as Filming;
  await output.finalize();
  const bytes = new Uint8Array(output.target.buffer ?? new ArrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

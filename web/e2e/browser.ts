import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** A headless system Chromium with a new profile, which stays off the network by itself. */
export function launch(...more: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...more,
    ],
  });
}

export interface Watched {
  page: Page;
  /** Breaches of the content security policy, script errors, and requests to anywhere else. */
  complaints: string[];
  close: () => Promise<void>;
}

/** A page of its own context that notes everything the dashboard must never do. */
export async function openPage(browser: Browser, base: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ baseURL: base, viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(45_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    const text = message.text();
    // A refused API call is what some tests are about, and the browser notes each.
    if (message.type() === "error" && !text.startsWith("Failed to load resource")) complaints.push(text);
    if (/Content Security Policy/i.test(text) && message.type() !== "error") complaints.push(text);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${base}/`)) complaints.push(`request to ${request.url()}`);
  });
  return { page, complaints, close: () => context.close() };
}

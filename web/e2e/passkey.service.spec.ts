import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Person } from "../src/api/types";
import { launch, openPage, type Watched } from "./browser.ts";
import { ask } from "./fixtures/cloud.ts";
import { hasService, type Service, startService } from "./fixtures/service.ts";
import { typeWhereFocusIs } from "./fixtures/tabbing.ts";

const KEY = "a-long-enough-key-for-tests-0123456789";

/** A port that nobody has: the service is told its own address before it listens. */
const freePort = () =>
  new Promise<number>((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => found(typeof address === "object" && address ? address.port : 0));
    });
  });

// Without the binary these tests are left out on a developer's machine; on CI that is an error.
describe.skipIf(!hasService && !process.env.CI)("passkeys of the real service", () => {
  let browser: Browser;
  let service: Service;
  let watched: Watched;
  let page: Page;
  let devtools: CDPSession;
  let axe: string;
  beforeAll(async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    [browser, service, axe] = await Promise.all([
      launch(),
      startService({ SERVICE_API_KEY: KEY, SERVICE_PUBLIC_URL: url, PORT: String(port) }),
      readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"),
    ]);
    watched = await openPage(browser, url);
    page = watched.page;
    devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
  });
  afterAll(async () => {
    await watched?.close();
    await browser?.close();
    await service?.stop();
    // Over plain http the browser notes which headers mean nothing there.
    expect(watched?.complaints.filter((text) => !text.startsWith("The Cross-Origin-Opener-Policy header"))).toEqual([]);
  });

  /** A device, which says yes at once; in the place of the one before. */
  const plugIn = async (before?: string) => {
    if (before) await devtools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId: before });
    const options = {
      protocol: "ctap2" as const,
      transport: "internal" as const,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    };
    return (await devtools.send("WebAuthn.addVirtualAuthenticator", { options })).authenticatorId;
  };
  const verified = (authenticatorId: string, isUserVerified: boolean) =>
    devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  const prompt = () => page.getByRole("dialog", { name: "Sign in" });
  const bySpecification = async () => {
    await page.evaluate(axe);
    const found = await page.evaluate(
      async () =>
        (await (window as unknown as { axe: { run: () => Promise<{ violations: { id: string }[] }> } }).axe.run())
          .violations,
    );
    expect(found.map(({ id }) => id)).toEqual([]);
  };
  const signOut = async () => {
    await page.getByRole("button", { name: "Grace <i>, viewer" }).click();
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await prompt().waitFor();
  };
  const who = () => page.getByRole("button", { name: "Grace <i>, viewer" });
  const signIn = () => prompt().getByRole("button", { name: "Sign in with a passkey" });
  const row = (name: string) =>
    page.getByRole("table", { name: "Passkeys" }).getByRole("row").filter({ hasText: name });

  it("are made with an invitation, sign in, are added and removed by the keys alone, and open nothing then", async () => {
    const first = await plugIn();
    const person = { name: "Grace <i>", email: "grace@example.com", grants: [{ role: "viewer" }] };
    const { invitation } = await ask<Person>(service, "POST", "/api/users", person, KEY);
    await page.goto(String(invitation));
    await page.getByRole("radio", { name: "a passkey" }).waitFor();
    await bySpecification();
    await page.getByRole("radio", { name: "a passkey" }).press("ArrowDown");
    await page.getByLabel("Password", { exact: true }).waitFor();
    await page.getByRole("radio", { name: "a password" }).press("ArrowUp");
    await verified(first, false);
    await page.getByRole("button", { name: "Go on" }).press("Enter");
    await page.getByText("No passkey was chosen.").waitFor();
    await verified(first, true);
    await page.getByRole("button", { name: "Go on" }).press("Enter");
    await who().waitFor();

    await page.goto("/settings#passkeys");
    await row("From the invitation").getByText("never").waitFor();
    await signOut();
    await bySpecification();
    await verified(first, false);
    await signIn().press("Enter");
    await prompt().getByText("No passkey was chosen.").waitFor();
    await verified(first, true);
    await signIn().press("Enter");
    await prompt().waitFor({ state: "detached" });
    await expect.poll(() => row("From the invitation").getByText("never").count()).toBe(0);
    await page.getByRole("button", { name: "Remove From the invitation" }).press("Enter");
    await page.getByRole("button", { name: "Remove the passkey" }).press("Enter");
    await page.getByText("This passkey is the last way you can sign in; add another one first").waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Add a passkey" }).press("Enter");
    await typeWhereFocusIs(page, "Name", "the same");
    await page.keyboard.press("Enter");
    await page.getByText("This device has a passkey for you already").waitFor();
    const second = await plugIn(first);
    await page.getByLabel("Name", { exact: true }).fill("Phone <b>");
    await page.keyboard.press("Enter");
    await row("Phone <b>").waitFor();
    await bySpecification();
    await page.getByRole("button", { name: "Remove From the invitation" }).press("Enter");
    await page.getByRole("button", { name: "Remove the passkey" }).press("Enter");
    await row("From the invitation").waitFor({ state: "detached" });

    await signOut();
    await signIn().press("Enter");
    await who().waitFor();
    await page.getByRole("button", { name: "Add a passkey" }).waitFor();
    const third = await plugIn(second);
    await page.getByRole("button", { name: "Add a passkey" }).press("Enter");
    await typeWhereFocusIs(page, "Name", "Key");
    await page.keyboard.press("Enter");
    await row("Key").waitFor();
    await page.getByRole("button", { name: "Remove Key" }).press("Enter");
    await page.getByRole("button", { name: "Remove the passkey" }).press("Enter");
    await row("Key").waitFor({ state: "detached" });
    await signOut();
    await signIn().press("Enter"); // the device still has it
    await prompt().getByText("The passkey is not known here, or you may not sign in with it").waitFor();
    await devtools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId: third });
  });
});

import { fileURLToPath } from "node:url";
import { it } from "vitest";
import { launch, openPage } from "./browser.ts";
import { startService } from "./fixtures/service.ts";

const TARGET = fileURLToPath(new URL("../../docs/dashboard.png", import.meta.url));

it("takes the picture of the documentation", async () => {
  const service = await startService();
  const browser = await launch();
  try {
    const { page } = await openPage(browser, service.url, { colorScheme: "light" });
    await page.goto("/");
    await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().click();
    await page.getByText("By category").waitFor();
    await page.getByText("Critical", { exact: true }).nth(1).waitFor();
    await page.screenshot({ path: TARGET });
  } finally {
    await browser.close();
    await service.stop();
  }
});

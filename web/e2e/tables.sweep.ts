import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { furnish, ROUTES, visit } from "./fixtures/routes.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => furnish(mock));

/** Short words of tables that stand on two lines, and tables that are wider than their place. */
function squeezed(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const out = new Set<string>();
    const text = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT);
    for (let node = text.nextNode(); node; node = text.nextNode()) {
      const place = node.parentElement?.closest("td, th");
      if (!place || node.parentElement?.closest("code, pre, .visually-hidden")) continue;
      for (const word of (node.textContent ?? "").matchAll(/(?<!\S)[^\s\-./@]{1,14}(?!\S)/g)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top));
        if (lines.size > 1) out.add(`${word[0]} in ${place.closest("table")?.textContent?.slice(0, 60)}`);
      }
    }
    for (const table of document.querySelectorAll("main table")) {
      const { parentElement: frame } = table;
      // Figures of a chart that are folded away scroll in their panel.
      if (frame && table.checkVisibility() && frame.scrollWidth > frame.clientWidth)
        out.add(`${frame.scrollWidth - frame.clientWidth} pixels too wide: ${table.textContent?.slice(0, 60)}`);
    }
    return [...out];
  });
}

it.each(ROUTES.flatMap(([route, text]) => [1280, 1024].map((width) => ({ route, text, width }))))(
  "$route shows its tables whole at $width pixels",
  async ({ route, text, width }) => {
    const { page } = watched;
    await page.setViewportSize({ width, height: 800 });
    await visit(page, mock, [route, text]);
    await expect.poll(() => squeezed(page), { timeout: 3000 }).toEqual([]);
  },
);

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type * as AdaptiveCards from "adaptivecards";
import { describe, expect, it } from "vitest";

// The package's ESM entry does not load in Node; the CommonJS build does.
const cards: typeof AdaptiveCards = createRequire(import.meta.url)("adaptivecards/dist/adaptivecards.js");

const folder = fileURLToPath(new URL("../../../internal/delivery/notify/testdata/", import.meta.url));
const files = readdirSync(folder).filter((name) => /^golden-.*-chat_b\.json$/.test(name));

type Element = { type: string; [member: string]: unknown };

function contentOf(name: string): Element {
  const message = JSON.parse(readFileSync(folder + name, "utf8"));
  expect(message.type).toBe("message");
  expect(message.attachments).toHaveLength(1);
  return message.attachments[0].content;
}

/** What the vendor's own parser complains about. */
function complaints(content: Element): string[] {
  const context = new cards.SerializationContext(cards.Versions.v1_5);
  const card = new cards.AdaptiveCard();
  card.parse(content, context);
  const said = Array.from({ length: context.eventCount }, (_, i) => context.getEventAt(i).message);
  const found = card.validateProperties().validationEvents.map((event) => event.message);
  return [...said, ...found];
}

describe("the vendor's parser of cards", () => {
  it("finds the golden cards", () => expect(files.length).toBeGreaterThanOrEqual(4));

  it.each(files)("has no complaint about %s", (name) => {
    const content = contentOf(name);
    expect(complaints(content)).toEqual([]);
    const card = new cards.AdaptiveCard();
    card.parse(content, new cards.SerializationContext(cards.Versions.v1_5));
    expect(card.getItemCount()).toBe((content.body as Element[]).length);
    const types = Array.from({ length: card.getItemCount() }, (_, i) => card.getItemAt(i).getJsonTypeName());
    expect(types).toEqual((content.body as Element[]).map((element) => element.type));
  });

  it.each([
    ["an unknown element", { type: "Nonsense" }],
    ["a wrong weight", { type: "TextBlock", text: "a", weight: "Heaviest" }],
  ])("complains about %s", (_, element) => {
    const content = contentOf("golden-full-chat_b.json");
    expect(complaints({ ...content, body: [...(content.body as Element[]), element] })).not.toEqual([]);
  });
});

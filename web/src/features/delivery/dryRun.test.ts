import { expect, test } from "vitest";
import { triedOf } from "./dryRun";

test("a dry run counts the channels that have an address", () => {
  const result = { sent: [], failed: [], payloads: { chat_a: {}, webhook: {} } };
  const idle = ["chat_a", "webhook"].map((channel) => ({ channel, reason: "not-configured" }));
  expect(triedOf({ ...result, skipped: [] })).toBe("2 messages would go out.");
  expect(triedOf({ ...result, skipped: idle.slice(1) })).toBe("1 message would go out.");
  expect(triedOf({ ...result, skipped: idle })).toContain("no channel has an address");
});

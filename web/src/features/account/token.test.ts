import { expect, it } from "vitest";
import type { TokenInfo } from "../../api/types";
import { tokenWords } from "./token";

const info = (part: Partial<TokenInfo>): TokenInfo => ({ kind: "account", status: "active", ...part });

it.each([
  [{ daysLeft: 13, expiresOn: "2026-03-14T00:00:00Z" }, "expires in 13 days", true],
  [{ daysLeft: 14 }, "expires in 14 days", false],
  [{ daysLeft: 1 }, "expires in 1 day", true],
  [{ daysLeft: -1, expiresOn: "2026-03-01T00:00:00Z" }, "expired", true],
  [{}, "has no expiry", false],
] as const)("%j", (part, expiry, urgent) => expect(tokenWords(info(part))).toMatchObject({ expiry, urgent }));

it("does not say that a token has no expiry when it could not be verified", () => {
  const words = tokenWords(info({ kind: "unknown", status: "unknown", error: "verify call failed" }));
  expect(words).toEqual({ status: "unknown", urgent: false, error: "verify call failed" });
});

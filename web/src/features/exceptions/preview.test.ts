import { expect, it } from "vitest";
import type { ExceptionPreview } from "../../api/types";
import { hidesWords, skippedWords } from "./preview";

it("says what is hidden", () => {
  const preview = { findings: 1041, bySeverity: { critical: 2, low: 1039 }, onAttackPaths: 1 };
  expect(hidesWords(preview as unknown as ExceptionPreview)).toBe(
    "Hides 1,041 findings, 2 critical, on 1 attack path.",
  );
  const nothing = { findings: 0, bySeverity: {}, onAttackPaths: 0 };
  expect(hidesWords(nothing as unknown as ExceptionPreview)).toBe("Hides 0 findings, on no attack path.");
});

it("says what is left out and why", () => {
  expect(skippedWords({ accepted: 0, notOpen: 0, unnamed: 0 })).toBe("");
  expect(skippedWords({ accepted: 3, notOpen: 1200, unnamed: 1 })).toBe(
    "Left out: 3 accepted already, 1,200 not open, 1 that no exception can name.",
  );
});

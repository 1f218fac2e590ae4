import { expect, it } from "vitest";
import type { WhatIf } from "../../api/types";
import { outcomeWords } from "./outcome";

const many = (n = 0) => Array.from({ length: n });

function effect(
  counts: Partial<Record<"appear" | "worsen" | "resolve" | "improve" | "open" | "close", number>>,
  after = 79,
) {
  const { appear, worsen, resolve, improve, open, close } = counts;
  return {
    findings: { appear: many(appear), worsen: many(worsen), resolve: many(resolve), improve: many(improve) },
    paths: { appear: many(open), break: many(close) },
    score: { before: { value: 79 }, after: { value: after } },
  } as unknown as WhatIf;
}

it.each([
  [effect({}), "No finding and no attack path changes. The score stays at 79."],
  [
    effect({ resolve: 1, close: 27 }),
    "Nothing gets worse. 1 finding and 27 attack paths are closed. The score stays at 79.",
  ],
  [effect({ appear: 1, open: 0 }, 71), "1 finding opens or gets worse. The score goes from 79 to 71."],
  [
    effect({ worsen: 1, open: 1, resolve: 1, improve: 1 }, 81),
    "1 finding and 1 attack path open or get worse. 2 findings are closed or get better. The score goes from 79 to 81.",
  ],
  [effect({ close: 1 }), "Nothing gets worse. 1 attack path is closed. The score stays at 79."],
])("says what follows: %#", (whatIf, words) => expect(outcomeWords(whatIf)).toBe(words));

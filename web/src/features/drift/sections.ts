import type { Drift, DriftDifference } from "../../api/types";
import type { DriftSearch } from "./search";

type List = "new" | "regressed" | "improved" | "resolved" | "changed" | "unknown";

interface Kind {
  list: List;
  title: string;
  /** What the list means, for those who see it the first time. */
  meaning: string;
  worse: boolean;
  /** Which of the two assessments has the finding. */
  side: "baseline" | "current";
}

export const KINDS: readonly Kind[] = [
  { list: "new", title: "New", meaning: "Open now, not seen before.", worse: true, side: "current" },
  { list: "regressed", title: "Regressed", meaning: "Open now, better before.", worse: true, side: "current" },
  {
    list: "unknown",
    title: "Became unreadable",
    meaning: "Judged before, not judged now. Nobody knows whether it is better or worse.",
    worse: false,
    side: "baseline",
  },
  { list: "improved", title: "Improved", meaning: "A failure before, a warning now.", worse: false, side: "current" },
  {
    list: "resolved",
    title: "Resolved",
    meaning: "Open before, judged again and not found.",
    worse: false,
    side: "baseline",
  },
  {
    list: "changed",
    title: "Changed",
    meaning: "Still open, with another severity, risk or evidence.",
    worse: false,
    side: "current",
  },
];

export interface Section extends Kind {
  entries: DriftDifference[];
}

/** The lists that the filters leave, in the order of what needs a look first. */
export function sectionsOf(drift: Drift, { only, category }: DriftSearch): Section[] {
  return KINDS.filter((kind) => only === undefined || kind.worse).map((kind) => ({
    ...kind,
    entries: drift[kind.list].filter((entry) => category === undefined || entry.category === category),
  }));
}

/** Whether nothing at all differs, which is not the same as nothing being left by a filter. */
export function isSame(drift: Drift): boolean {
  const { appeared, disappeared, unknown } = drift.paths;
  return (
    KINDS.every(({ list }) => drift[list].length === 0) && appeared.length + disappeared.length + unknown.length === 0
  );
}

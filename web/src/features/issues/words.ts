const EFFORT_WORDS: Record<string, string> = {
  "one-click": "One click",
  settings: "Settings to copy",
  work: "Work by hand",
};

/** What closing an issue takes; an effort this build does not know is shown by its own word. */
export function effortWord(effort: string): string {
  return EFFORT_WORDS[effort] ?? effort;
}

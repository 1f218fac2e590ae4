/** Controls, direction marks and zero-width signs; the two joiners stay, because some scripts need them. */
const HIDDEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\t\u200c\u200d]]/gv;

/** Letters that are written from right to left: the blocks of Hebrew, Arabic and the scripts beside them. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [ISOLATE, END] = ["\u2068", "\u2069"];

/**
 * Text from the assessed account as it is, not as it wants to look: a direction
 * mark in a name could otherwise turn it around and pass for another one.
 */
export function revealed(text: string): string {
  return text.replace(
    HIDDEN,
    (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

/** The same for a page, where a name from right to left stands apart from the sentence: it would turn the numbers beside it. */
export function visible(text: string): string {
  const shown = revealed(text);
  return FROM_RIGHT.test(shown) ? ISOLATE + shown + END : shown;
}

/**
 * Whether somebody typed a name as the page shows it, or copied it from there: what it hides stands there as signs, and
 * white space is one space.
 */
export function typedAsShown(typed: string, name: string): boolean {
  const copied = /^\s*\u2068(.*)\u2069\s*$/su;
  const shown = (text: string) => revealed(text.replace(copied, "$1")).replace(/\s+/g, " ").trim();
  return shown(typed) === shown(name);
}

/** What a text of several lines shows; the lines stay. */
export function visibleLines(text: string): string {
  return text.split("\n").map(revealed).join("\n");
}

/** Controls, direction marks and zero-width signs; the two joiners stay, because some scripts need them. */
const HIDDEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\t\u200c\u200d]]/gv;

/**
 * Text from the assessed account as it is, not as it wants to look: a direction
 * mark in a name could otherwise turn it around and pass for another one.
 */
export function visible(text: string): string {
  return text.replace(
    HIDDEN,
    (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

/** Whether somebody typed a name as the page shows it: what it hides stands there as signs, and white space is one space. */
export function typedAsShown(typed: string, name: string): boolean {
  const shown = (text: string) => visible(text).replace(/\s+/g, " ").trim();
  return shown(typed) === shown(name);
}

/** What a text of several lines shows; the lines stay. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

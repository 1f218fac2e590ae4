/** Adds a word at the end when it is absent, and removes it when it is there. */
export function toggled<T>(list: readonly T[], word: T): T[] {
  return list.includes(word) ? list.filter((other) => other !== word) : [...list, word];
}

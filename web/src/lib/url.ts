type Search = Record<string, unknown>;

/** Search parameters as plain strings; the first of a repeated name counts. */
export function parseSearch(search: string): Record<string, string> {
  const out: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    if (!(name in out)) out[name] = value;
  }
  return { ...out };
}

/** Leaves out what is empty; keeps commas readable, which a query may hold as they are (RFC 3986). */
export function stringifySearch(search: Search): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== "") params.set(name, String(value));
  }
  const out = params.toString().replaceAll("%2C", ",");
  return out === "" ? "" : `?${out}`;
}

/** The known words of a comma list, in the order of the vocabulary, each once. */
export function pickWords<T extends string>(value: unknown, vocabulary: readonly T[]): T[] {
  if (typeof value !== "string") return [];
  const given = new Set(value.split(",").map((word) => word.trim().toLowerCase()));
  return vocabulary.filter((word) => given.has(word.toLowerCase()));
}

/** One of the orders of a list by their names; the first is the default and absent. */
export function sortParam(value: unknown, orders: readonly string[]): string | undefined {
  const [sort] = pickWords(value, orders);
  return sort === orders[0] ? undefined : sort;
}

/** Words of a vocabulary as a parameter, in its order. All of them, or none, is the default and absent. */
export function chosenParam(words: readonly string[], vocabulary: readonly string[]): string | undefined {
  if (words.length === vocabulary.length) return undefined;
  return vocabulary.filter((word) => words.includes(word)).join(",") || undefined;
}

/** A parameter that is free text: trimmed, cut to a length, undefined when empty. */
export function freeText(value: unknown, longest: number): string | undefined {
  if (typeof value !== "string") return undefined;
  return value.trim().slice(0, longest).trim() || undefined;
}

/** The parameters of these names that are set, as a query. */
export function given<K extends string>(
  search: Partial<Record<K, string | undefined>>,
  names: readonly K[],
): Record<string, string> {
  const all = names.map((name): [string, string | undefined] => [name, search[name]]);
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

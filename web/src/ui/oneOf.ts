import type { FilterField, FilterOption } from "./FilterChips";

export const optionsOf = (words: Readonly<Record<string, string>>): FilterOption[] =>
  Object.entries(words).map(([value, name]) => ({ value, name }));

/** A field of which one value is chosen, or none. */
export function oneOf<T extends string>(
  name: string,
  words: Readonly<Record<string, string>>,
  value: T | undefined,
  counts: FilterField["counts"],
  onChange: (value: T | undefined) => void,
): FilterField {
  return {
    name,
    options: optionsOf(words),
    counts,
    many: false,
    chosen: value === undefined ? [] : [value],
    says: value === undefined ? [] : [words[value] ?? value],
    onChoose: ([next]) => onChange(next as T | undefined),
    onClear: () => onChange(undefined),
  };
}

/** A field whose value is chosen where it is shown; here it is only taken off. */
export function onlyTakenOff(name: string, value: string | undefined, word: string, onClear: () => void): FilterField {
  return { ...oneOf(name, value === undefined ? {} : { [value]: word }, value, undefined, onClear), options: [] };
}

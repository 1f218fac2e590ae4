import { RESULTS } from "../../lib/result";
import { SEVERITIES } from "../../lib/severity";
import { FIELDS, type Field, NAMES, type Vocabulary } from "./query";
import { STATUSES } from "./search";

/** A word that may be meant, and the whole text with it. */
export interface Suggestion {
  word: string;
  text: string;
}

const AT_MOST = 8;

/** What a person who typed this may want to type: names of fields and their values, for the last term. */
export function suggestions(text: string, vocabulary: Vocabulary): Suggestion[] {
  const [, before = "", term = ""] = /^(.*\s)?(\S*)$/s.exec(text) ?? [];
  // Inside of quotation marks everything is text.
  if (term === "" || before.split('"').length % 2 === 0 || term.includes('"')) return [];
  const [, minus = "", name, rest = ""] = /^(-?)(?:([A-Za-z]+):)?(.*)$/s.exec(term) ?? [];
  const words: string[] = [];
  if (name !== undefined) {
    const field = NAMES[name.toLowerCase()];
    if (field === undefined || vocabulary.lacks?.includes(field)) return [];
    const given = rest.split(",");
    const part = given.pop() ?? "";
    const values = fitting(field, part, vocabulary).filter((value) => !given.includes(value) && value !== part);
    words.push(...values.map((value) => `${minus}${name}:${[...given, value].join(",")}`));
  } else {
    const fields = FIELDS.filter((field) => !vocabulary.lacks?.includes(NAMES[field] as Field));
    words.push(...fields.filter((field) => field.startsWith(rest.toLowerCase())).map((field) => `${minus}${field}:`));
    if (rest.length > 1) {
      for (const field of fields) {
        words.push(...fitting(NAMES[field] as Field, rest, vocabulary).map((value) => `${minus}${field}:${value}`));
      }
    }
  }
  return words.slice(0, AT_MOST).map((word) => ({ word, text: `${before}${word}${word.endsWith(":") ? "" : " "}` }));
}

/** The values of a field that begin with a part, then those that hold it. */
function fitting(field: Field, part: string, { categories, zones, checks }: Vocabulary): string[] {
  const all: Partial<Record<Field, readonly string[]>> = {
    severity: SEVERITIES,
    result: ["all", ...RESULTS.map((result) => result.toLowerCase())],
    status: STATUSES,
    remediable: ["yes", "no"],
    exception: ["yes", "no"],
    category: categories,
    zone: zones,
    check: checks,
  };
  const low = part.toLowerCase();
  // Answers fit nearly every word, so they are named only behind their field.
  const values = (all[field] ?? []).filter((value) => !/[\s",\\]/.test(value));
  const begin = values.filter((value) => value.toLowerCase().startsWith(low));
  const hold = values.filter((value) => !begin.includes(value) && value.toLowerCase().includes(low));
  return [...begin, ...(low.length > 1 ? hold : [])];
}

import type { Facets } from "../../api/types";
import { plural } from "../../lib/number";
import { RESULTS } from "../../lib/result";
import { SEVERITIES } from "../../lib/severity";
import { ACCEPTED, FIELDS, type Field, NAMES, type Vocabulary } from "./query";
import { STATUSES } from "./search";

/** A word that may be meant, the whole text with it, and what it asks for, where that is known. */
export interface Suggestion {
  word: string;
  text: string;
  means: string | undefined;
}

const AT_MOST = 8;

/** What a person who typed this may want to type: names of fields and their values, for the last term. */
export function suggestions(
  text: string,
  vocabulary: Vocabulary,
  titles: ReadonlyMap<string, string> = new Map(),
): Suggestion[] {
  const [, before = "", term = ""] = /^(.*\s)?(\S*)$/s.exec(text) ?? [];
  // Inside of quotation marks everything is text.
  if (term === "" || before.split('"').length % 2 === 0 || term.includes('"')) return [];
  const [, minus = "", name, rest = ""] = /^(-?)(?:([A-Za-z]+):)?(.*)$/s.exec(term) ?? [];
  const found: Suggestion[] = [];
  const put = (word: string, means: string | undefined) =>
    found.push({ word, text: `${before}${word}${word.endsWith(":") ? "" : " "}`, means });
  const meaning = (field: Field, value: string) => {
    if (field === "check") return titles.get(value);
    const count = countOf(field, value, vocabulary.counts);
    return count === undefined ? undefined : plural(count, "finding");
  };
  if (name !== undefined) {
    const field = NAMES[name.toLowerCase()];
    if (field === undefined || vocabulary.lacks?.includes(field)) return [];
    const given = rest.split(",");
    const part = given.pop() ?? "";
    for (const value of fitting(field, part, vocabulary, titles)) {
      if (given.includes(value) || value === part) continue;
      put(`${minus}${name}:${[...given, value].join(",")}`, meaning(field, value));
    }
  } else {
    const fields = Object.entries(FIELDS).filter(([name]) => !vocabulary.lacks?.includes(NAMES[name] as Field));
    for (const [name, means] of fields) if (name.startsWith(rest.toLowerCase())) put(`${minus}${name}:`, means);
    for (const [name] of rest.length > 1 ? fields : []) {
      const field = NAMES[name] as Field;
      for (const value of fitting(field, rest, vocabulary, titles))
        put(`${minus}${name}:${value}`, meaning(field, value));
    }
  }
  return found.slice(0, AT_MOST);
}

/** How many findings a value would list, where that is known. */
function countOf(field: Field, value: string, counts: Facets | undefined): number | undefined {
  if (!counts || field === "resource" || value === "all") return undefined;
  const key = field === "result" ? value.toUpperCase() : field === "exception" ? ACCEPTED[value] : value;
  return counts[field][key ?? value] ?? 0;
}

/** The values of a field that begin with a part, then those that hold it; of these, what lists nothing comes last. */
function fitting(
  field: Field,
  part: string,
  { categories, zones, checks, counts }: Vocabulary,
  titles: ReadonlyMap<string, string>,
): string[] {
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
  const hold = values.filter(
    (value) =>
      !begin.includes(value) &&
      (value.toLowerCase().includes(low) || (field === "check" && titles.get(value)?.toLowerCase().includes(low))),
  );
  const empty = (value: string) => Number(countOf(field, value, counts) === 0);
  return [...begin, ...(low.length > 1 ? hold.sort((x, y) => empty(x) - empty(y)) : [])];
}

import type { Facets } from "../../api/types";
import { asKept } from "../../lib/hostname";
import { LISTED, RESULTS } from "../../lib/result";
import { SEVERITIES } from "../../lib/severity";
import { chosenParam } from "../../lib/url";
import { type Filters, findingsQuery, listOf, NO_FILTER, resultParam, resultsOf, STATUSES } from "./search";

/** What words of a query can mean. A list that is empty is not known, and its words are taken as they are. */
export interface Vocabulary {
  categories: readonly string[];
  zones: readonly string[];
  checks: readonly string[];
  /** Whether the list can leave categories, checks and zones out. */
  leavesOut: boolean;
  /** Fields the list does not have. */
  lacks?: readonly Field[];
  /** How many findings each value would list. */
  counts?: Facets | undefined;
}

export interface Parsed {
  filters: Filters;
  /** One sentence for each term that cannot be meant; then the filters are not whole. */
  problems: string[];
}

export type Field =
  | "severity"
  | "result"
  | "category"
  | "zone"
  | "check"
  | "resource"
  | "status"
  | "remediable"
  | "exception";

export const NAMES: Record<string, Field> = {
  sev: "severity",
  severity: "severity",
  result: "result",
  cat: "category",
  category: "category",
  zone: "zone",
  check: "check",
  resource: "resource",
  state: "status",
  status: "status",
  fix: "remediable",
  remediable: "remediable",
  accepted: "exception",
};

/** The field names as they are written, and what each asks for. */
export const FIELDS = {
  sev: "severity",
  result: "fail, unknown, warning, pass or not_applicable",
  cat: "category of the check",
  zone: "name of the zone, or a part of it",
  check: "check, by its id or words of its title",
  resource: "id of the resource",
  state: "open, reopened or resolved",
  fix: "whether Edgeposture can make the change",
  accepted: "whether an exception covers it",
} as const;

/** The answers of the field accepted, as the service takes them. */
export const ACCEPTED: Record<string, string> = { yes: "only", no: "hidden" };

/** More than this and a part of a name is not what was meant. */
const FITS_AT_MOST = 20;

/** Reads `sev:critical,high zone:shop -cat:dns free text`. */
export function parseQuery(text: string, vocabulary: Vocabulary): Parsed {
  const { terms, open } = termsOf(text);
  const problems = open ? ["A quotation mark is not closed."] : [];
  const taken = new Map<Field, { with: string[]; without: string[] }>();
  const words: string[] = [];
  for (const term of terms) {
    const [, minus = "", name, rest = ""] = /^(-?)(?:([A-Za-z]+):)?(.*)$/s.exec(term) ?? [];
    if (name === undefined) {
      if (minus !== "" && rest !== "") problems.push(`${term}: text cannot be left out, only fields can.`);
      else words.push(unquoted(term));
      continue;
    }
    const field = NAMES[name.toLowerCase()];
    if (field === undefined || vocabulary.lacks?.includes(field)) {
      problems.push(`${term}: there is no field ${name}. To search for it as text, put it in quotation marks.`);
      continue;
    }
    const values = parted(rest).flatMap((word) => {
      const found = meant(field, word, vocabulary);
      if (typeof found !== "string") return found;
      problems.push(`${term}: ${found}`);
      return [];
    });
    if (rest === "") problems.push(`${term} names no value.`);
    if (minus !== "" && !vocabulary.leavesOut && ["category", "zone", "check"].includes(field)) {
      problems.push(`${term}: this list cannot leave these out.`);
    }
    if (minus !== "" && ["resource", "remediable", "exception"].includes(field)) {
      problems.push(`${term}: ${name} cannot be left out.`);
    }
    const to = taken.get(field) ?? { with: [], without: [] };
    taken.set(field, to);
    (minus === "" ? to.with : to.without).push(...values);
  }
  return {
    filters: { ...NO_FILTER, ...combined(taken), q: words.join(" ").trim().slice(0, 200) || undefined },
    problems,
  };
}

function combined(taken: Map<Field, { with: string[]; without: string[] }>): Filters {
  const of = (field: Field) => taken.get(field) ?? { with: [], without: [] };
  const rest = <T extends string>(field: Field, all: readonly T[], base: readonly T[] = all): T[] => {
    const { with: given, without } = of(field);
    return (given.length > 0 ? all.filter((word) => given.includes(word)) : [...base]).filter(
      (word) => !without.includes(word),
    );
  };
  const both = (field: Field) =>
    [...new Set([...of(field).with, ...of(field).without.map((word) => `-${word}`)])].join(",") || undefined;
  return {
    severity: taken.has("severity") ? chosenParam(rest("severity", SEVERITIES), SEVERITIES) : undefined,
    result: taken.has("result") ? resultParam(rest("result", RESULTS, LISTED)) : undefined,
    status: taken.has("status") ? chosenParam(rest("status", STATUSES), STATUSES) : undefined,
    category: both("category"),
    zone: both("zone"),
    check: both("check"),
    resource: both("resource"),
    remediable: of("remediable").with[0] as Filters["remediable"],
    exception: of("exception").with[0] as Filters["exception"],
  };
}

/** The filters in the form a person would type; parseQuery gives the same filters back. */
export function formatQuery(filters: Filters): string {
  const out: string[] = [];
  const put = (name: string, words: readonly string[]) => {
    if (words.length > 0) out.push(`${name}:${words.map((word) => quoted(word)).join(",")}`);
  };
  const sides = (name: string, value: string | undefined) => {
    const words = listOf(value);
    put(
      name,
      words.filter((word) => !word.startsWith("-")),
    );
    put(
      `-${name}`,
      words.filter((word) => word.startsWith("-")).map((word) => word.slice(1)),
    );
  };
  put("sev", listOf(filters.severity));
  if (filters.result !== undefined) {
    put("result", filters.result === "all" ? ["all"] : resultsOf(filters).map((word) => word.toLowerCase()));
  }
  sides("cat", filters.category);
  sides("zone", filters.zone);
  sides("check", filters.check);
  put("resource", listOf(filters.resource));
  put("state", listOf(filters.status));
  put("fix", listOf(filters.remediable));
  if (filters.exception !== undefined) put("accepted", [filters.exception === "only" ? "yes" : "no"]);
  if (filters.q !== undefined) out.push(plain(filters.q) ? filters.q : quoted(filters.q, true));
  return out.join(" ");
}

/** Whether a text read by itself is only that text. */
function plain(text: string): boolean {
  const { filters, problems } = parseQuery(text, { categories: [], zones: [], checks: [], leavesOut: true });
  return problems.length === 0 && filters.q === text && Object.keys(findingsQuery(filters)).length === 1;
}

function quoted(word: string, always = false): string {
  return always || /[\s",\\]/.test(word) ? `"${word.replace(/[\\"]/g, "\\$&")}"` : word;
}

const PIECE = /"((?:[^"\\]|\\.)*)"/gs;

function unquoted(term: string): string {
  return term.replace(PIECE, (_, inside: string) => inside.replace(/\\(.)/gs, "$1"));
}

/** Terms are parted by white space outside of quotation marks. */
function termsOf(text: string): { terms: string[]; open: boolean } {
  const terms = text.match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+/gs) ?? [];
  return { terms, open: text.replace(PIECE, "").includes('"') };
}

/** The values of a term, parted by commas outside of quotation marks. */
function parted(rest: string): string[] {
  return (rest.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/gs) ?? [])
    .map((word) => unquoted(word).trim())
    .filter((word) => word);
}

/** The values of the field that a word means, or why it means none. */
function meant(field: Field, word: string, vocabulary: Vocabulary): string[] | string {
  switch (field) {
    case "severity":
      return begins(word, SEVERITIES, "severity");
    case "result":
      return word.toLowerCase() === "all" ? [...RESULTS] : begins(word, RESULTS, "result");
    case "status":
      return begins(word, STATUSES, "state");
    case "remediable":
      return begins(word, ["yes", "no"], "answer");
    case "exception": {
      const answer = begins(word, ["yes", "no"], "answer");
      return typeof answer === "string" ? answer : answer.map((each) => ACCEPTED[each] ?? each);
    }
    case "category":
      return vocabulary.categories.length === 0 ? [word] : begins(word, vocabulary.categories, "category");
    case "zone": {
      if (word === "(none)") return [word];
      const known = vocabulary.zones.some((each) => each.toLowerCase().includes(word.toLowerCase()));
      return holds(known ? word : asKept(word), vocabulary.zones, "zone");
    }
    case "check":
      return holds(word, vocabulary.checks, "check");
    default:
      return [word];
  }
}

/** The one word of a vocabulary that is the word or begins with it. */
function begins(word: string, all: readonly string[], what: string): string[] | string {
  const low = word.toLowerCase();
  const same = all.find((each) => each.toLowerCase() === low);
  if (same !== undefined) return [same];
  const some = all.filter((each) => each.toLowerCase().startsWith(low));
  return some.length === 1 ? some : `there is no ${what} ${word}; choose ${all.join(", ").toLowerCase()}.`;
}

/** The name itself, or every name that holds the word. */
function holds(word: string, all: readonly string[], what: string): string[] | string {
  const low = word.toLowerCase();
  const same = all.find((each) => each.toLowerCase() === low);
  if (all.length === 0 || same !== undefined) return [same ?? word];
  const some = all.filter((each) => each.toLowerCase().includes(low));
  if (some.length === 0) return `there is no ${what} ${word} here.`;
  return some.length > FITS_AT_MOST ? `${some.length} ${what}s hold ${word}; name it more closely.` : some;
}

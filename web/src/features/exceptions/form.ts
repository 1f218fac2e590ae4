import type { ExceptionMatch } from "../../api/types";
import { listOf } from "../../lib/fieldProblem";
import { SEVERITIES } from "../../lib/severity";

export interface Scope {
  account?: string;
  match: ExceptionMatch;
}

/** What a form says an exception is about; undefined when it narrows nothing. */
export function scopeOf(values: FormData): Scope | undefined {
  const text = (name: string) => String(values.get(name) ?? "").trim();
  const lists = {
    checkIds: listOf(text("checkIds")),
    resourceIds: listOf(text("resourceIds")),
    zones: listOf(text("zones")),
    severities: SEVERITIES.filter((severity) => values.getAll("severities").includes(severity)),
  };
  const match: ExceptionMatch = {
    ...Object.fromEntries(Object.entries(lists).filter(([, words]) => words.length > 0)),
    ...(text("pattern") && { pattern: text("pattern") }),
  };
  if (Object.keys(match).length === 0) return undefined;
  return { ...(text("account") && { account: text("account") }), match };
}

import { type ApiProblem, asProblem } from "../api/errors";

/** Whether a location like "body.zones[2]" is about a field, which may be a part of another, as "match.checkIds". */
function isOf(location: string, name: string): boolean {
  const [, at = ""] = /^(?:body|query)\.(.*)/.exec(location) ?? [];
  return at === name || at.startsWith(`${name}.`) || at.startsWith(`${name}[`);
}

/** What the service says of one field, which may be one of a list, as "rules[2].zone"; undefined when it says nothing. */
export function problemAt(error: unknown, name: string): string | undefined {
  if (!error) return undefined;
  const said = asProblem(error).fields.filter(({ location }) => isOf(location, name));
  return said.length === 0 ? undefined : said.map(({ message }) => message).join("; ");
}

/** The problem when some of it belongs to none of the fields; a problem that every field shows itself is undefined. */
export function problemElsewhere(error: unknown, names: readonly string[]): ApiProblem | undefined {
  if (!error) return undefined;
  const problem = asProblem(error);
  const placed =
    problem.fields.length > 0 && problem.fields.every(({ location }) => names.some((name) => isOf(location, name)));
  return placed ? undefined : problem;
}

/** The words of a list that a person typed, by commas, spaces or lines. */
export function listOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ""))];
}

import type { AssessmentSummary } from "../../api/types";

type Scope = AssessmentSummary["scope"];
type Run = Pick<AssessmentSummary, "id" | "scope">;

const holds = (all: string[] = [], some: string[] = []) => some.every((one) => all.includes(one));
const within = (all: string[] = [], some: string[] = []) => all.length === 0 || (some.length > 0 && holds(all, some));

/** Whether a run of one scope looked at all that a run of another was asked to look at, as the service tells it. */
function covers(wide: Scope, narrow: Scope): boolean {
  return (
    wide === undefined ||
    (within(wide.zones, narrow?.zones) &&
      holds(narrow?.excludeZones, wide.excludeZones) &&
      within(wide.categories, narrow?.categories) &&
      within(wide.checks, narrow?.checks) &&
      (wide.profile !== "core" || narrow?.profile === "core"))
  );
}

/** Of runs, newest first, the one that the run with an id is compared with: the newest earlier one that looked at as much. */
export function runBefore<R extends Run>(runs: R[], id: string | undefined): R | undefined {
  const place = runs.findIndex((run) => run.id === id);
  return place < 0 ? undefined : runs.slice(place + 1).find(({ scope }) => covers(scope, runs[place]?.scope));
}

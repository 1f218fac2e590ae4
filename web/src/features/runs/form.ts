import type { Schedule, ScheduleRequest } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";

export interface RunForm {
  zones: string;
  categories: string[];
  profile: "full" | "core";
  note: string;
}

export const BLANK: RunForm = { zones: "", categories: [], profile: "full", note: "" };

/** Only what was chosen goes into the request, so that equal wishes are equal requests. */
export function requestOf(form: RunForm): Pick<ScheduleRequest, "zones" | "categories" | "profile" | "note"> {
  const zones = form.zones.split(/[\s,]+/).filter((zone) => zone !== "");
  const note = form.note.trim();
  return {
    ...(zones.length > 0 && { zones }),
    ...(form.categories.length > 0 && { categories: form.categories }),
    ...(form.profile === "core" && { profile: form.profile }),
    ...(note !== "" && { note }),
  };
}

/** What a form shows of a request that was made before. */
export function formOf({ zones = [], categories = [], profile, note = "" }: Schedule["request"]): RunForm {
  return { zones: zones.join(", "), categories, profile: profile === "core" ? profile : "full", note };
}

/** What a request looks at, in a few words; nothing when that is everything. */
export function scopeWords({ zones, excludeZones, categories, checks, profile }: Schedule["request"]): string {
  const parts = [
    ...(zones?.length ? [`zones ${zones.map(visible).join(", ")}`] : []),
    ...(excludeZones?.length ? [`not ${excludeZones.map(visible).join(", ")}`] : []),
    ...(categories?.length ? [plural(categories.length, "category", "categories")] : []),
    ...(checks?.length ? [plural(checks.length, "check")] : []),
    ...(profile === "core" ? ["the core profile"] : []),
  ];
  return parts.join("; ");
}

import type { AssessRequest } from "../../api/types";

export interface RunForm {
  zones: string;
  categories: string[];
  profile: "full" | "core";
  note: string;
}

export const BLANK: RunForm = { zones: "", categories: [], profile: "full", note: "" };

/** Only what was chosen goes into the request, so that equal wishes are equal requests. */
export function requestOf(form: RunForm): AssessRequest {
  const zones = form.zones.split(/[\s,]+/).filter((zone) => zone !== "");
  const note = form.note.trim();
  return {
    ...(zones.length > 0 && { zones }),
    ...(form.categories.length > 0 && { categories: form.categories }),
    ...(form.profile === "core" && { profile: form.profile }),
    ...(note !== "" && { note }),
  };
}

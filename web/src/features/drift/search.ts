import { freeText } from "../../lib/url";

export interface DriftSearch {
  /** The assessment that is compared with; absent means the run before. */
  from?: string | undefined;
  /** The assessment that is compared; absent means the newest. */
  to?: string | undefined;
  /** "worse": only what is new or worse than it was. */
  only?: "worse" | undefined;
  category?: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const uuid = (value: unknown) => (typeof value === "string" && UUID.test(value) ? value : undefined);

export function driftSearch(raw: Record<string, unknown>): DriftSearch {
  return {
    from: uuid(raw.from),
    to: uuid(raw.to),
    only: raw.only === "worse" ? "worse" : undefined,
    category: freeText(raw.category, 64),
  };
}

import { freeText } from "../../lib/url";

export interface SchedulesSearch {
  /** The schedule that is edited, or "new". */
  edit?: string | undefined;
  /** The account that a new one is offered for. */
  account?: string | undefined;
}

export function schedulesSearch(raw: Record<string, unknown>): SchedulesSearch {
  return { edit: freeText(raw.edit, 64), account: freeText(raw.account, 64) };
}

/** An instant as the clocks of a time zone show it; UTC when the browser does not know the zone. */
export function inZone(at: string, timeZone: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const options = { dateStyle: "medium", timeStyle: "short" } as const;
  try {
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: timeZone || "UTC" }).format(date);
  } catch {
    return `${new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" }).format(date)} UTC`;
  }
}

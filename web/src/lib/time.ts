const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const count = (n: number, unit: string): string => `${n} ${unit}${n === 1 ? "" : "s"}`;

/** How long ago something was, in the largest unit that fits. Clocks differ, so the near future counts as now. */
export function age(at: string, now: number): string {
  const then = Date.parse(at);
  if (Number.isNaN(then)) return "at an unknown time";
  const past = now - then;
  if (past < 5 * SECOND) return "just now";
  if (past < MINUTE) return `${count(Math.floor(past / SECOND), "second")} ago`;
  if (past < HOUR) return `${count(Math.floor(past / MINUTE), "minute")} ago`;
  if (past < 2 * DAY) return `${count(Math.floor(past / HOUR), "hour")} ago`;
  return `${count(Math.floor(past / DAY), "day")} ago`;
}

/** How long until something is due, in the largest unit that fits; what is past is due now. */
export function until(at: string, now: number): string {
  const then = Date.parse(at);
  if (Number.isNaN(then)) return "at an unknown time";
  const left = then - now;
  if (left < MINUTE) return "now";
  if (left < HOUR) return `in ${count(Math.floor(left / MINUTE), "minute")}`;
  if (left < 2 * DAY) return `in ${count(Math.floor(left / HOUR), "hour")}`;
  return `in ${count(Math.floor(left / DAY), "day")}`;
}

/** A length of time with at most two units. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "unknown";
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** The instant in UTC, to the minute. */
export function utc(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const minute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** The instant where the reader is, to the minute: "25 Nov 2026, 08:06". */
export function moment(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : minute.format(date);
}

const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

/** The reader's zone at an instant, as in "CET". */
export function zoneName(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  return zone.formatToParts(date).find(({ type }) => type === "timeZoneName")?.value ?? "";
}

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** The day of an instant where the reader is: "25 Nov 2026". */
export function dayOf(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : day.format(date);
}

const ofDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const ofMonth = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });
const ofClock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** An instant at an axis of so many milliseconds, where the reader is. */
export function tick(at: Date, span: number): string {
  return (span > 300 * DAY ? ofMonth : span > 2 * DAY ? ofDay : ofClock).format(at);
}

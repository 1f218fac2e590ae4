const DAY = 86_400_000;

/** The service takes at most 400 days; the last second of a day is up to one more. */
const LONGEST = 399;
const USUAL = 90;

const dayOf = (at: number) => {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

/** The days somebody may choose, where they are, and the one that is offered. */
export function expiryDays(now: number): { first: string; last: string; usual: string } {
  return { first: dayOf(now + DAY), last: dayOf(now + LONGEST * DAY), usual: dayOf(now + USUAL * DAY) };
}

/** The end of a day where the reader is, as an instant; undefined when it is no day. */
export function endOf(day: string): string | undefined {
  const at = new Date(`${day}T23:59:59`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

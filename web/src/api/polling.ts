interface PollState {
  /** When watching began and now, in ms of the same clock. */
  since: number;
  now: number;
  hidden: boolean;
  ended: boolean;
  /** Events arrive, so asking is not needed. */
  streaming: boolean;
  failures: number;
}

const SECOND = 1000;
const LONGEST = 60 * SECOND;

/** How long to wait before asking for a job again; false means not at all. */
export function pollInterval({ since, now, hidden, ended, streaming, failures }: PollState): number | false {
  if (ended || streaming) return false;
  const watched = now - since;
  let wait = 10 * SECOND;
  if (watched < 30 * SECOND) wait = SECOND;
  else if (watched < 300 * SECOND) wait = 3 * SECOND;
  if (hidden) wait *= 3;
  return Math.min(LONGEST, wait * 2 ** Math.min(failures, 10));
}

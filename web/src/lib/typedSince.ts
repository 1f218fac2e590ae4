/** What was typed after the rest had been sent: its answer takes none of that away. */
export const typedSince = <T extends Record<string, unknown>>(now: T, sent: T): T =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== sent[name])) as T;

import type { ReactNode } from "react";

/** What takes the focus itself, or gives it to its parts in its own way. */
const FOCUSED = "a, button, summary, [role=grid], [role=option], [role=menuitemradio]";

/** Alone in a text it is a stop of the Tab key, so that its note can be had without a pointer. */
const focusable = (time: HTMLTimeElement | null) => {
  if (time && !time.closest(FOCUSED)) time.tabIndex = 0;
};

/** Every instant of the dashboard. TimeNote says it in UTC when the pointer or the focus comes to it. */
export function Time({ at, children }: { at: string; children: ReactNode }) {
  return (
    <time dateTime={at} ref={focusable}>
      {children}
    </time>
  );
}

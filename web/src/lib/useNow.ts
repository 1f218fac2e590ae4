import { useSyncExternalStore } from "react";
import { serviceClock } from "./serviceClock";

const TICK = 1000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const l of listeners) l();
    }, TICK);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The time of the service, rounded to a step so that a caller renders only as often as its words can change. */
export function useNow(step = TICK): number {
  return useSyncExternalStore(subscribe, () => Math.floor(serviceClock.at(now) / step) * step);
}

import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

const PAPER = "print";
let announced = false;
let listening = false;
const listeners = new Set<() => void>();

/** The browser takes its picture as soon as the event is over, so the page must be ready within it, in one go. */
function tell({ type }: Event) {
  if (type !== "change") announced = type === "beforeprint";
  flushSync(() => {
    for (const listener of listeners) listener();
  });
}

/** Every time on a page listens, so they share what the window is asked for. */
function subscribe(listener: () => void): () => void {
  if (!listening) {
    listening = true;
    window.addEventListener("beforeprint", tell);
    window.addEventListener("afterprint", tell);
    window.matchMedia(PAPER).addEventListener("change", tell);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Whether the page is for paper now: then everything that is loaded must be in it, scrolled into view or not. */
export function usePrinting(): boolean {
  return useSyncExternalStore(subscribe, () => announced || window.matchMedia(PAPER).matches);
}

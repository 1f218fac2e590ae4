import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

const PAPER = "print";
let announced = false;

function subscribe(listener: () => void): () => void {
  const paper = window.matchMedia(PAPER);
  // The browser takes its picture as soon as the event is over, so the page must be ready within it.
  const now = () => flushSync(listener);
  const before = () => {
    announced = true;
    now();
  };
  const after = () => {
    announced = false;
    now();
  };
  window.addEventListener("beforeprint", before);
  window.addEventListener("afterprint", after);
  paper.addEventListener("change", now);
  return () => {
    window.removeEventListener("beforeprint", before);
    window.removeEventListener("afterprint", after);
    paper.removeEventListener("change", now);
  };
}

/** Whether the page is for paper now: then everything that is loaded must be in it, scrolled into view or not. */
export function usePrinting(): boolean {
  return useSyncExternalStore(subscribe, () => announced || window.matchMedia(PAPER).matches);
}

import { useEffect } from "react";

/** What tells a screen reader where it is when it takes the focus. */
const PLACES = "article, section, form, search, nav, aside, [role=dialog], main";
const ROWS = "tr, li, article";

/**
 * What has the focus may go with its row, its note or its filter, and the browser would begin at the top of the page
 * again. Then the row that came into its place takes the focus, or what stands beside it, or what it stood in; not a
 * control, which the next press would turn unasked.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** What had the focus last, and everything around it. */
    let held: Element[] = [];
    const hold = ({ target }: Event) => {
      held = [];
      for (let one = target instanceof Element ? target : null; one; one = one.parentElement) held.push(one);
    };
    const look = (records: MutationRecord[]) => {
      const lost = held[0];
      if (!lost || lost.isConnected) return;
      const stayed = held.findIndex((one) => one.isConnected);
      const gone = held[stayed - 1];
      const removal = records.find(({ removedNodes }) => gone && [...removedNodes].includes(gone));
      const [before, after] = [removal?.previousSibling, removal?.nextSibling];
      const beside = gone?.matches(ROWS) ? [after, before] : [before, after];
      const around = held[stayed]?.closest(PLACES);
      held = [];
      // A dialog or a menu that closed gives the focus back by itself, within the frame.
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body || lost.isConnected) return;
        [...beside, around, document.querySelector("main")].some((one) => one instanceof HTMLElement && takes(one));
      });
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", hold);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", hold);
    };
  }, []);
}

function takes(place: HTMLElement): boolean {
  if (place.tabIndex >= 0) return false;
  if (!place.hasAttribute("tabindex")) {
    place.tabIndex = -1;
    place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
  }
  place.focus({ preventScroll: true });
  return document.activeElement === place;
}

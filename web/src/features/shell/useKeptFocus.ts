import { useEffect } from "react";

/** What tells a screen reader where it is when it takes the focus. */
const PLACES = "article, section, form, search, nav, aside, [role=dialog], main";
const ROWS = "tr, li, article";
/** What opens over the page, and gives the focus back to it when it closes. */
const LAYERS = "[role=dialog], [role=alertdialog], [role=menu]";

/**
 * What has the focus may go with its row, its note or its filter, and the browser would begin at the top of the page
 * again. Then the row that came into its place takes the focus, or what stands beside it, or what it stood in; not a
 * control, which the next press would turn unasked. A row may go while the dialog that asked about it is still open.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** What had the focus last in the page and in a layer over it, each with everything around it. */
    let page: Element[] = [];
    let layer: Element[] = [];
    /** Where the focus belongs once it is nowhere. */
    let places: (Node | null | undefined)[] = [];
    const hold = ({ target }: Event) => {
      if (!(target instanceof Element)) return;
      layer = [];
      if (target.closest(LAYERS)) {
        layer = chain(target);
        return;
      }
      page = chain(target);
      places = [];
    };
    const look = (records: MutationRecord[]) => {
      if (!isGone(page) && !isGone(layer)) return;
      if (isGone(page)) {
        places = placesOf(page, records);
        page = [];
      }
      if (isGone(layer)) {
        const open = layer.find((one) => one.isConnected)?.closest(LAYERS);
        if (open) places = placesOf(layer, records);
        layer = [];
      }
      // A layer that closed gives the focus back by itself, within the frame.
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        [...places, document.querySelector("main")].some((one) => one instanceof HTMLElement && takes(one));
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

function chain(of: Element): Element[] {
  const out: Element[] = [];
  for (let one: Element | null = of; one; one = one.parentElement) out.push(one);
  return out;
}

const isGone = ([first]: Element[]) => first !== undefined && !first.isConnected;

/** Where the focus belongs when the first of a chain is gone. */
function placesOf(held: Element[], records: MutationRecord[]): (Node | null | undefined)[] {
  const stayed = held.findIndex((one) => one.isConnected);
  const gone = held[stayed - 1];
  const removal = records.find(({ removedNodes }) => gone && [...removedNodes].includes(gone));
  const [before, after] = [removal?.previousSibling, removal?.nextSibling];
  return [...(gone?.matches(ROWS) ? [after, before] : [before, after]), held[stayed]?.closest(PLACES)];
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

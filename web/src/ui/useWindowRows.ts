import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";

interface Rows {
  count: number;
  /** Of a row, in pixels. */
  height: number;
  /** The row that stays in the page, wherever one scrolls; -1 when none does. */
  kept: number;
  /** How many rows before the last loaded one more are asked for. */
  ahead: number;
  onNearEnd: () => void;
}

/** The rows in view, of any number that the page scrolls through; `body` is the element that holds them. */
export function useWindowRows<Body extends HTMLElement>({ count, height, kept, ahead, onNearEnd }: Rows) {
  const body = useRef<Body>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  // What stands above the rows may change its height at any render.
  useLayoutEffect(() => {
    if (body.current) setScrollMargin(Math.round(body.current.getBoundingClientRect().top + window.scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), ...(kept >= 0 && kept < count ? [kept] : [])])].sort(
        (a, b) => a - b,
      ),
  });
  const near = (virtualizer.range?.endIndex ?? 0) >= count - ahead;
  useEffect(() => {
    if (near) onNearEnd();
  }, [near, onNearEnd]);
  return { body, scrollMargin, virtualizer };
}

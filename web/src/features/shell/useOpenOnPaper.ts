import { useLayoutEffect } from "react";
import { usePrinting } from "../../lib/usePrinting";

/** Nobody unfolds paper: what is folded is open while the page is printed. */
export function useOpenOnPaper(): void {
  const printing = usePrinting();
  useLayoutEffect(() => {
    if (!printing) return;
    const folded = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")];
    for (const details of folded) details.open = true;
    return () => {
      for (const details of folded) details.open = false;
    };
  }, [printing]);
}

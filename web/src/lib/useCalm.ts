import { useEffect, useRef, useState } from "react";

/** The latest value, but at most one change per interval: screen readers speak every change of a live region. */
export function useCalm<T>(value: T, interval = 10_000): T {
  const [shown, setShown] = useState(value);
  const changed = useRef(0);
  useEffect(() => {
    if (value === shown) return;
    const wait = Math.max(0, changed.current + interval - Date.now());
    const timer = setTimeout(() => {
      changed.current = Date.now();
      setShown(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value, shown, interval]);
  return shown;
}

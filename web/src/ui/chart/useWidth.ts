import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** How wide an element is, so that texts in a drawing keep their size. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const frame = ref.current;
    if (!frame) return;
    const measure = () => setWidth(Math.round(frame.clientWidth));
    const observer = new ResizeObserver(measure);
    observer.observe(frame);
    measure();
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

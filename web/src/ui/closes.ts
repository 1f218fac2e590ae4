import type { RefObject } from "react";

/** A press of the button itself is left to the button, which would open again what closed a moment ago. */
export const closes =
  (anchor: RefObject<HTMLElement | null>, onClose: () => void) => (open: boolean, why: { event: Event }) => {
    const { target } = why.event;
    const pressed = why.event.type !== "keydown" && target instanceof Node && anchor.current?.contains(target);
    if (!open && !pressed) onClose();
  };

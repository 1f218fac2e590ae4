import { type ChangeEvent, type KeyboardEvent, type PointerEvent, useState } from "react";
import { nearest } from "./data";

/**
 * Which of the places of a chart is read. A pointer takes the nearest one, a finger leaves it
 * there until it touches elsewhere, and the range input beside the drawing takes the arrow keys.
 */
export function useCursor(places: readonly number[], axis: "x" | "y" = "x") {
  const [at, setAt] = useState<number>();
  const follow = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    setAt(nearest(places, axis === "x" ? clientX - left : clientY - top));
  };
  const hide = () => setAt(undefined);
  return {
    at: at !== undefined && at < places.length ? at : undefined,
    pointer: {
      onPointerMove: follow,
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        follow(event);
        // Else the press would take the focus away again.
        event.preventDefault();
        event.currentTarget.querySelector("input")?.focus({ preventScroll: true });
      },
      onPointerLeave: ({ pointerType }: PointerEvent<HTMLElement>) => pointerType === "mouse" && hide(),
    },
    keys: {
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) => setAt(Number(target.value)),
      onFocus: () => setAt((before) => before ?? (axis === "x" ? places.length - 1 : 0)),
      onBlur: hide,
      onKeyDown: ({ key }: KeyboardEvent) => key === "Escape" && hide(),
    },
  };
}

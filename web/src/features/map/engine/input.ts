import type { MapEngine, Picked } from "./engine";

const CLICK = 5;

/** Pan, wheel and pinch on a canvas. It listens on the window while a button is held, so that a drag may leave the canvas. */
export function listen(
  canvas: HTMLCanvasElement,
  engine: MapEngine,
  onPick: (picked: Picked | undefined) => void,
): () => void {
  const view = canvas.ownerDocument.defaultView;
  if (!view) return () => {};
  const pointers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const at = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const move = (event: PointerEvent) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = at(event);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (other) {
      const apart = (p: { x: number; y: number }) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
      engine.zoomBy(apart(now) / apart(before), (now.x + other.x) / 2, (now.y + other.y) / 2);
    }
    // Of two fingers each moves the map by half.
    const share = other ? 0.5 : 1;
    engine.panBy((now.x - before.x) * share, (now.y - before.y) * share);
    pointers.set(event.pointerId, now);
  };
  const up = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId)) return;
    if (pointers.size > 0) return;
    view.removeEventListener("pointermove", move);
    view.removeEventListener("pointerup", up);
    view.removeEventListener("pointercancel", up);
    if (event.type === "pointerup" && moved < CLICK) {
      const { x, y } = at(event);
      onPick(engine.pick(x, y));
    }
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    if (pointers.size === 0) moved = 0;
    pointers.set(event.pointerId, at(event));
    view.addEventListener("pointermove", move);
    view.addEventListener("pointerup", up);
    view.addEventListener("pointercancel", up);
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const { x, y } = at(event);
    const lines = event.deltaMode === 1 ? 16 : 1;
    engine.zoomBy(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * 0.0022), x, y);
  };
  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("wheel", wheel, { passive: false });
  return () => {
    canvas.removeEventListener("pointerdown", down);
    canvas.removeEventListener("wheel", wheel);
    view.removeEventListener("pointermove", move);
    view.removeEventListener("pointerup", up);
    view.removeEventListener("pointercancel", up);
  };
}

/** Where the map is looked at: the world position in the middle of the view, and pixels per unit. */
export interface Camera {
  x: number;
  y: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const LARGEST = 120;

export function screenX(camera: Camera, size: Size, x: number): number {
  return (x - camera.x) * camera.scale + size.width / 2;
}

export function screenY(camera: Camera, size: Size, y: number): number {
  return (y - camera.y) * camera.scale + size.height / 2;
}

export function worldX(camera: Camera, size: Size, x: number): number {
  return (x - size.width / 2) / camera.scale + camera.x;
}

export function worldY(camera: Camera, size: Size, y: number): number {
  return (y - size.height / 2) / camera.scale + camera.y;
}

/** The whole box in view with a margin in pixels, never larger than one likes to see a single node. */
export function fitTo(box: Box, size: Size, margin = 32, largest = 44): Camera {
  const width = Math.max(1, box.right - box.left);
  const height = Math.max(1, box.bottom - box.top);
  const scale = Math.min(
    largest,
    Math.max(1, size.width - 2 * margin) / width,
    Math.max(1, size.height - 2 * margin) / height,
  );
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, scale };
}

/** Zooms by a factor and keeps the world under a point of the screen where it is. */
export function zoomAt(camera: Camera, size: Size, px: number, py: number, factor: number, smallest: number): Camera {
  const scale = Math.min(LARGEST, Math.max(smallest, camera.scale * factor));
  const x = worldX(camera, size, px);
  const y = worldY(camera, size, py);
  return { x: x - (px - size.width / 2) / scale, y: y - (py - size.height / 2) / scale, scale };
}

/** Moves the camera by pixels; its middle stays inside of the box, so that the map cannot be lost. */
export function pan(camera: Camera, box: Box, dx: number, dy: number): Camera {
  const within = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
  return {
    x: within(camera.x - dx / camera.scale, box.left, box.right),
    y: within(camera.y - dy / camera.scale, box.top, box.bottom),
    scale: camera.scale,
  };
}

/** The part of the world that is in view, with a margin in units. */
export function viewBox(camera: Camera, size: Size, margin = 1): Box {
  return {
    left: worldX(camera, size, 0) - margin,
    top: worldY(camera, size, 0) - margin,
    right: worldX(camera, size, size.width) + margin,
    bottom: worldY(camera, size, size.height) + margin,
  };
}

export function overlaps(a: Box, b: Box): boolean {
  return a.left <= b.right && a.right >= b.left && a.top <= b.bottom && a.bottom >= b.top;
}

export function mix(a: Camera, b: Camera, t: number): Camera {
  const eased = 1 - (1 - t) ** 3;
  return {
    x: a.x + (b.x - a.x) * eased,
    y: a.y + (b.y - a.y) * eased,
    scale: a.scale * (b.scale / a.scale) ** eased,
  };
}

/** Shares in steps, so that clusters that look alike are one picture. What is there at all keeps at least one step. */
export function stepsOf(counts: readonly number[], steps: number): number[] {
  const total = counts.reduce((a, b) => a + b, 0);
  if (total === 0) return counts.map(() => 0);
  const out = counts.map((n) => (n === 0 ? 0 : Math.max(1, Math.round((n / total) * steps))));
  // What rounding gave too much or too little goes to the largest part.
  let rest = steps - out.reduce((a, b) => a + b, 0);
  while (rest !== 0) {
    const largest = out.indexOf(Math.max(...out));
    out[largest] = (out[largest] ?? 0) + Math.sign(rest);
    rest -= Math.sign(rest);
  }
  return out;
}

type Pen = Pick<CanvasRenderingContext2D, "moveTo" | "lineTo" | "closePath" | "arc" | "rect">;
type Point = readonly [number, number];

function linePath(pen: Pen, points: readonly Point[], x: number, y: number, r: number): void {
  points.forEach(([px, py], i) => {
    if (i === 0) pen.moveTo(x + px * r, y + py * r);
    else pen.lineTo(x + px * r, y + py * r);
  });
}

/** A plus for what is worse and a check for what is fixed, as they stand in their ring. */
export function changePath(pen: Pen, worse: boolean, x: number, y: number, r: number): void {
  const line = (...points: Point[]) => linePath(pen, points, x, y, r);
  if (worse) {
    line([-0.55, 0], [0.55, 0]);
    line([0, -0.55], [0, 0.55]);
  } else {
    line([-0.5, 0.05], [-0.1, 0.42], [0.5, -0.38]);
  }
}

/** The shapes of lib/severity around a point, as one path: octagon, triangle, diamond, circle, bar, and a small square for what is clean. */
export function shapePath(pen: Pen, severity: number, x: number, y: number, r: number): void {
  const polygon = (points: readonly Point[]) => {
    linePath(pen, points, x, y, r);
    pen.closePath();
  };
  switch (severity) {
    case 0:
      polygon([
        [-0.41, -1],
        [0.41, -1],
        [1, -0.41],
        [1, 0.41],
        [0.41, 1],
        [-0.41, 1],
        [-1, 0.41],
        [-1, -0.41],
      ]);
      break;
    case 1:
      polygon([
        [0, -1],
        [1.05, 0.85],
        [-1.05, 0.85],
      ]);
      break;
    case 2:
      polygon([
        [0, -1.1],
        [1.1, 0],
        [0, 1.1],
        [-1.1, 0],
      ]);
      break;
    case 3:
      pen.moveTo(x + r * 0.9, y);
      pen.arc(x, y, r * 0.9, 0, 2 * Math.PI);
      break;
    case 4:
      pen.rect(x - r, y - r * 0.35, 2 * r, r * 0.7);
      break;
    default:
      pen.rect(x - r * 0.55, y - r * 0.55, 1.1 * r, 1.1 * r);
  }
}

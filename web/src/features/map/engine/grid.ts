import type { Box } from "./camera";

const CELL = 8;

/** Finds points by place: cells of a few units, each a run of one array. */
export class Grid {
  readonly #columns: number;
  readonly #rows: number;
  readonly #left: number;
  readonly #top: number;
  readonly #start: Uint32Array;
  readonly #items: Uint32Array;
  readonly #x: Float32Array;
  readonly #y: Float32Array;

  constructor(x: Float32Array, y: Float32Array, box: Box) {
    this.#x = x;
    this.#y = y;
    this.#left = box.left;
    this.#top = box.top;
    this.#columns = Math.max(1, Math.ceil((box.right - box.left) / CELL) + 1);
    this.#rows = Math.max(1, Math.ceil((box.bottom - box.top) / CELL) + 1);
    this.#start = new Uint32Array(this.#columns * this.#rows + 1);
    this.#items = new Uint32Array(x.length);
    for (let i = 0; i < x.length; i++) this.#start[this.#cell(i) + 1]! += 1;
    for (let c = 1; c < this.#start.length; c++) this.#start[c]! += this.#start[c - 1]!;
    const next = this.#start.slice();
    for (let i = 0; i < x.length; i++) this.#items[next[this.#cell(i)]!++] = i;
  }

  #cell(i: number): number {
    return this.#column(this.#x[i]!) + this.#row(this.#y[i]!) * this.#columns;
  }

  #column(x: number): number {
    return Math.min(this.#columns - 1, Math.max(0, Math.floor((x - this.#left) / CELL)));
  }

  #row(y: number): number {
    return Math.min(this.#rows - 1, Math.max(0, Math.floor((y - this.#top) / CELL)));
  }

  /** Every point in the box. */
  each(box: Box, visit: (i: number) => void): void {
    const last = this.#column(box.right);
    const bottom = this.#row(box.bottom);
    for (let row = this.#row(box.top); row <= bottom; row++) {
      for (let column = this.#column(box.left); column <= last; column++) {
        const cell = row * this.#columns + column;
        const end = this.#start[cell + 1]!;
        for (let k = this.#start[cell]!; k < end; k++) {
          const i = this.#items[k]!;
          const x = this.#x[i]!;
          const y = this.#y[i]!;
          if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) visit(i);
        }
      }
    }
  }

  /** The nearest point within a distance that passes a test, or -1. */
  nearest(x: number, y: number, distance: number, passes: (i: number) => boolean): number {
    let best = -1;
    let least = distance * distance;
    this.each({ left: x - distance, top: y - distance, right: x + distance, bottom: y + distance }, (i) => {
      const d = (this.#x[i]! - x) ** 2 + (this.#y[i]! - y) ** 2;
      if (d <= least && passes(i)) {
        best = i;
        least = d;
      }
    });
    return best;
  }
}

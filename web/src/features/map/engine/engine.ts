import { visible } from "../../../lib/visible";
import type { Changes } from "../changes";
import {
  type Box,
  type Camera,
  fitTo,
  mix,
  overlaps,
  pan,
  type Size,
  screenX,
  screenY,
  viewBox,
  worldX,
  worldY,
  zoomAt,
} from "./camera";
import { type Colours, coloursAt } from "./colours";
import { changePath, shapePath, stepsOf } from "./glyph";
import { boxOf, type Cluster, isOpen, type Scene } from "./scene";

/** Below this radius a node is a square: as many circles would halve the frame rate. */
const SQUARE = 4;
const MOST_LABELS = 40;
const LABELS_FROM = 40;
const EDGES_FROM = 5;
/** From here on a single node is large enough to look at. */
const NODE_FROM = 12;
const MOST_EDGES = 6000;
const RING_STEPS = 12;
const EASING = 220;
const CRITICAL = 0;
const WORSE = 1;
const FIXED = 2;

/** What a frame is drawn with: the canvas, or something that writes it down. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "lineJoin"
  | "globalAlpha"
  | "font"
  | "textAlign"
  | "textBaseline"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "rect"
  | "arc"
  | "closePath"
  | "fill"
  | "stroke"
  | "fillRect"
  | "fillText"
  | "measureText"
>;

export interface Picked {
  node: number;
  /** The glyph of a zone that shows no members, rather than a node. */
  cluster: number;
}

interface Options {
  /** Whether the camera may glide. */
  smooth: () => boolean;
  onFrame?: (milliseconds: number) => void;
  /** The camera came to rest elsewhere. */
  onCamera?: (camera: Camera) => void;
}

/**
 * Draws a scene. There is one loop, and a frame only when something changed. It
 * knows nothing of the page around the canvas.
 */
export class MapEngine {
  readonly #canvas: HTMLCanvasElement;
  readonly #screen: CanvasRenderingContext2D;
  #pen: Pen;
  readonly #scene: Scene;
  readonly #options: Options;
  #colours: Colours;
  #size: Size = { width: 1, height: 1 };
  #ratio = 1;
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #smallest = 0.01;
  #glide: { from: Camera; to: Camera; since: number } | undefined;
  #frame = 0;
  #mask: Uint8Array;
  /** Counts by severity of every cluster, of what the mask lets through. */
  #counts!: Uint32Array;
  #changes: Changes | undefined;
  /** Of every cluster whether any that the mask lets through is worse, or fixed, as two bits. */
  #changed!: Uint8Array;
  #selected = -1;
  #path: readonly number[] = [];
  readonly #sprites = new Map<string, HTMLCanvasElement>();
  readonly #widths = new Map<string, { shown: string; width: number }>();
  readonly #levels: number;
  readonly #hiddenEdge: Uint8Array;
  readonly #internetEdge: number;

  constructor(canvas: HTMLCanvasElement, scene: Scene, options: Options) {
    const pen = canvas.getContext("2d", { alpha: false });
    if (!pen) throw new Error("This browser gives no canvas to draw the map on. The table has the same resources.");
    this.#canvas = canvas;
    this.#screen = pen;
    this.#pen = pen;
    this.#scene = scene;
    this.#options = options;
    this.#levels = scene.graph.severities.length;
    this.#colours = coloursAt(canvas, scene.graph.severities);
    this.#mask = new Uint8Array(scene.graph.ids.length).fill(1);
    this.#count();
    const { edgeTypes } = scene.graph;
    // What belongs to a zone lies in it already, and everything belongs to the account.
    this.#hiddenEdge = Uint8Array.from(edgeTypes, (type) => (type === "belongs_to" || type === "internet_to" ? 1 : 0));
    this.#internetEdge = edgeTypes.indexOf("internet_to");
  }

  get camera(): Camera {
    return this.#glide?.to ?? this.#camera;
  }

  resize(width: number, height: number, devicePixelRatio: number): void {
    const first = this.#size.width === 1;
    this.#size = { width: Math.max(1, width), height: Math.max(1, height) };
    this.#ratio = Math.min(2, Math.max(1, devicePixelRatio));
    this.#canvas.width = Math.round(this.#size.width * this.#ratio);
    this.#canvas.height = Math.round(this.#size.height * this.#ratio);
    const all = fitTo(this.#scene.box, this.#size);
    this.#smallest = all.scale / 2;
    if (first) this.#camera = all;
    this.draw();
  }

  setMask(mask: Uint8Array): void {
    this.#mask = mask;
    this.#count();
    this.redraw();
  }

  /** What is marked as changed; nothing when the assessment is compared with none. */
  setChanges(changes: Changes | undefined): void {
    if (changes === this.#changes) return;
    this.#changes = changes;
    this.#count();
    this.redraw();
  }

  select(node: number): void {
    this.#selected = node;
    this.redraw();
  }

  /** A path is always drawn whole, whatever the filters hide. */
  setPath(nodes: readonly number[]): void {
    this.#path = nodes;
    this.redraw();
  }

  readColours(): void {
    this.#colours = coloursAt(this.#canvas, this.#scene.graph.severities);
    this.#sprites.clear();
    this.redraw();
  }

  showAll(): void {
    this.#go(fitTo(this.#scene.box, this.#size));
  }

  showBox(box: Box): void {
    this.#go(fitTo(box, this.#size, 48));
  }

  /** Brings nodes into view; it moves as little as it can when they are large enough to see. */
  showNodes(nodes: ArrayLike<number>): void {
    if (nodes.length === 0) return;
    const box = boxOf(this.#scene.graph, nodes);
    const view = viewBox(this.camera, this.#size, 0);
    const inside = box.left >= view.left && box.right <= view.right && box.top >= view.top && box.bottom <= view.bottom;
    if (inside && this.camera.scale >= NODE_FROM) return;
    const whole = fitTo(box, this.#size, 64);
    this.#go(nodes.length > 1 ? whole : { ...whole, scale: Math.max(this.camera.scale, NODE_FROM) });
  }

  zoomBy(factor: number, px = this.#size.width / 2, py = this.#size.height / 2, glide = false): void {
    const to = zoomAt(this.camera, this.#size, px, py, factor, this.#smallest);
    if (glide) this.#go(to);
    else this.#jump(to);
  }

  panBy(dx: number, dy: number): void {
    this.#jump(pan(this.camera, this.#scene.box, dx, dy));
  }

  #jump(to: Camera): void {
    this.#glide = undefined;
    this.#camera = to;
    this.redraw();
  }

  #go(to: Camera): void {
    if (!this.#options.smooth()) {
      this.#jump(to);
      return;
    }
    this.#glide = { from: this.#camera, to, since: performance.now() };
    this.redraw();
  }

  /** What lies under a point of the canvas. */
  pick(px: number, py: number): Picked | undefined {
    const camera = this.#camera;
    const x = worldX(camera, this.#size, px);
    const y = worldY(camera, this.#size, py);
    const { grid, clusterOf, clusters } = this.#scene;
    const reach = Math.max(0.6, 12 / camera.scale);
    const node = grid.nearest(x, y, reach, (i) => {
      const c = clusterOf[i]!;
      return this.#mask[i] === 1 && (c < 0 || isOpen(clusters[c]!, camera.scale));
    });
    if (node >= 0) return { node, cluster: -1 };
    const cluster = clusters.findIndex(
      (c, i) =>
        x >= c.left && x <= c.right && y >= c.top && y <= c.bottom && !isOpen(c, camera.scale) && this.#total(i) > 0,
    );
    return cluster < 0 ? undefined : { node: -1, cluster };
  }

  /** Asks for a frame; any number of changes before it make one. */
  redraw(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame((now) => this.#loop(now));
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  #loop(now: number): void {
    this.#frame = 0;
    if (this.#glide) {
      const t = Math.min(1, Math.max(0, (now - this.#glide.since) / EASING));
      this.#camera = t === 1 ? this.#glide.to : mix(this.#glide.from, this.#glide.to, t);
      if (t === 1) this.#glide = undefined;
      else this.redraw();
    }
    this.draw();
    if (!this.#glide) this.#options.onCamera?.(this.#camera);
  }

  #count(): void {
    const { clusters, graph } = this.#scene;
    this.#counts = new Uint32Array(clusters.length * this.#levels);
    this.#changed = new Uint8Array(clusters.length);
    clusters.forEach(({ members }, c) => {
      for (let k = 0; k < members.length; k++) {
        const i = members[k]!;
        if (!this.#mask[i]) continue;
        this.#counts[c * this.#levels + graph.severity[i]!]! += 1;
        this.#changed[c]! |= this.#changeOf(i);
      }
    });
  }

  #changeOf(node: number): number {
    return (this.#changes?.worse[node] ? WORSE : 0) | (this.#changes?.fixed[node] ? FIXED : 0);
  }

  #total(cluster: number): number {
    let sum = 0;
    for (let s = 0; s < this.#levels; s++) sum += this.#counts[cluster * this.#levels + s]!;
    return sum;
  }

  /** Draws one frame now. */
  draw(): void {
    const began = performance.now();
    this.#screen.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    this.#paint();
    this.#options.onFrame?.(performance.now() - began);
  }

  /** Draws what is in view with another pen, in pixels of the page, and gives the size of it. */
  drawWith(pen: Pen): Size {
    this.#pen = pen;
    try {
      this.#paint();
    } finally {
      this.#pen = this.#screen;
    }
    return this.#size;
  }

  #paint(): void {
    const pen = this.#pen;
    pen.fillStyle = this.#colours.page;
    pen.fillRect(0, 0, this.#size.width, this.#size.height);
    const view = viewBox(this.#camera, this.#size);
    const open: Cluster[] = [];
    const closed: number[] = [];
    this.#scene.clusters.forEach((cluster, c) => {
      if (!overlaps(cluster, view) || this.#total(c) === 0) return;
      if (isOpen(cluster, this.#camera.scale)) open.push(cluster);
      else closed.push(c);
    });
    this.#frames(open);
    const seen = open.length > 0 ? this.#visibleNodes(view) : this.#internet();
    this.#edges(seen);
    this.#nodes(seen);
    this.#glyphs(closed);
    this.#pathLine();
    this.#selection();
    this.#labels(seen, open, closed);
    this.#marks(seen, closed);
  }

  #sx(x: number): number {
    return screenX(this.#camera, this.#size, x);
  }

  #sy(y: number): number {
    return screenY(this.#camera, this.#size, y);
  }

  /** The ground of zones that show their members. */
  #frames(open: readonly Cluster[]): void {
    const pen = this.#pen;
    const { scale } = this.#camera;
    pen.beginPath();
    for (const c of open) {
      pen.rect(this.#sx(c.left), this.#sy(c.top), (c.right - c.left) * scale, (c.bottom - c.top) * scale);
    }
    pen.fillStyle = this.#colours.surface;
    pen.fill();
    pen.strokeStyle = this.#colours.line;
    pen.lineWidth = 1;
    pen.stroke();
  }

  #visibleNodes(view: Box): number[] {
    const { grid, clusterOf, clusters } = this.#scene;
    const out: number[] = [];
    const { scale } = this.#camera;
    const openCluster = clusters.map((cluster) => isOpen(cluster, scale));
    grid.each(view, (i) => {
      const c = clusterOf[i]!;
      if (this.#mask[i] && (c < 0 || openCluster[c])) out.push(i);
    });
    return out;
  }

  /** What lies in no zone. */
  #internet(): number[] {
    const { internet } = this.#scene;
    return internet >= 0 && this.#mask[internet] ? [internet] : [];
  }

  #edges(seen: readonly number[]): void {
    if (this.#camera.scale < EDGES_FROM) return;
    const { graph, start, adjacent } = this.#scene;
    const pen = this.#pen;
    let drawn = 0;
    pen.beginPath();
    for (const node of seen) {
      const end = start[node + 1]!;
      for (let k = start[node]!; k < end && drawn < MOST_EDGES; k++) {
        const e = adjacent[k]!;
        // Each edge is seen from both of its ends; it is drawn from its first.
        if (graph.from[e] !== node || this.#hiddenEdge[graph.edgeType[e]!] || !this.#mask[graph.to[e]!]) continue;
        this.#line(node, graph.to[e]!);
        drawn++;
      }
    }
    pen.strokeStyle = this.#colours.edge;
    pen.globalAlpha = this.#camera.scale < 12 ? 0.35 : 0.6;
    pen.lineWidth = 1;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  #line(from: number, to: number): void {
    const { x, y } = this.#scene.graph;
    this.#pen.moveTo(this.#sx(x[from]!), this.#sy(y[from]!));
    this.#pen.lineTo(this.#sx(x[to]!), this.#sy(y[to]!));
  }

  #radius(): number {
    return Math.min(11, Math.max(0.75, this.#camera.scale * 0.3));
  }

  #nodes(seen: readonly number[]): void {
    const { graph } = this.#scene;
    const pen = this.#pen;
    const r = this.#radius();
    if (r < SQUARE) {
      const bySeverity: number[][] = Array.from({ length: this.#levels }, () => []);
      for (const i of seen) bySeverity[graph.severity[i]!]!.push(i);
      const side = Math.max(1.5, 2 * r);
      // The worst come last, so that nothing covers them.
      for (let s = this.#levels - 1; s >= 0; s--) {
        pen.fillStyle = this.#colours.severity[s]!;
        for (const i of bySeverity[s]!) {
          pen.fillRect(this.#sx(graph.x[i]!) - side / 2, this.#sy(graph.y[i]!) - side / 2, side, side);
        }
      }
      return;
    }
    const step = Math.round(r * 2) / 2;
    const stamps = Array.from({ length: this.#levels }, (_, s) =>
      this.#stamp(`node ${s} ${step}`, 2 * step + 4, (to, x, y) => {
        to.fillStyle = this.#colours.severity[s]!;
        to.beginPath();
        shapePath(to, s, x, y, step);
        to.fill();
      }),
    );
    for (const i of seen) stamps[graph.severity[i]!]!(this.#sx(graph.x[i]!), this.#sy(graph.y[i]!));
  }

  /** Draws the same thing at many places: on the canvas as a picture that is painted once and copied often. */
  #stamp(key: string, side: number, paint: (pen: Pen, x: number, y: number) => void): (x: number, y: number) => void {
    if (this.#pen !== this.#screen) return (x, y) => paint(this.#pen, x, y);
    const sprite = this.#sprite(key, side, paint);
    return (x, y) => this.#screen.drawImage(sprite, x - side / 2, y - side / 2, side, side);
  }

  #sprite(key: string, side: number, paint: (pen: Pen, x: number, y: number) => void): HTMLCanvasElement {
    const name = `${key} ${this.#ratio}`;
    const known = this.#sprites.get(name);
    if (known) return known;
    if (this.#sprites.size > 600) this.#sprites.clear();
    const made = this.#canvas.ownerDocument.createElement("canvas");
    made.width = Math.ceil(side * this.#ratio);
    made.height = made.width;
    const pen = made.getContext("2d");
    if (pen) {
      pen.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
      paint(pen, side / 2, side / 2);
    }
    this.#sprites.set(name, made);
    return made;
  }

  /** The radius of the ring of a zone that shows no members. */
  #ringRadius({ left, right }: Box): number {
    return Math.round(Math.min(40, Math.max(3, (right - left) * this.#camera.scale * 0.46)));
  }

  /** Zones as rings of the shares of severities around the count of criticals. */
  #glyphs(closed: readonly number[]): void {
    for (const c of closed) {
      const cluster = this.#scene.clusters[c]!;
      const counts = Array.from(this.#counts.subarray(c * this.#levels, (c + 1) * this.#levels));
      const r = this.#ringRadius(cluster);
      const critical = counts[CRITICAL]!;
      const text = critical === 0 || r < 8 ? "" : critical > 99 ? "99+" : String(critical);
      const steps = stepsOf(counts, RING_STEPS);
      const stamp = this.#stamp(`ring ${r} ${steps.join(",")} ${text}`, 2 * r + 2, (to, x, y) =>
        this.#ring(to, x, y, r, steps, text),
      );
      stamp(this.#sx((cluster.left + cluster.right) / 2), this.#sy((cluster.top + cluster.bottom) / 2));
    }
  }

  #ring(pen: Pen, x: number, y: number, r: number, steps: readonly number[], text: string): void {
    let angle = -Math.PI / 2;
    const inner = r < 5 ? 0 : r * 0.62;
    steps.forEach((n, s) => {
      if (n === 0) return;
      const next = angle + (2 * Math.PI * n) / RING_STEPS;
      pen.beginPath();
      pen.arc(x, y, r, angle, next);
      pen.arc(x, y, inner, next, angle, true);
      pen.closePath();
      pen.fillStyle = this.#colours.severity[s]!;
      pen.fill();
      angle = next;
    });
    if (text === "") return;
    pen.fillStyle = this.#colours.text;
    pen.font = `600 ${Math.min(13, Math.round(r * 0.85))}px ${this.#colours.font}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(text, x, y + 0.5, inner * 1.9);
  }

  /** What changed: a plus in a ring at the right of what is worse, a check in a ring at the left of what is fixed. */
  #marks(seen: readonly number[], closed: readonly number[]): void {
    if (!this.#changes) return;
    const { graph, clusters } = this.#scene;
    const marksAround = (r: number) => {
      const size = Math.round(Math.min(8, Math.max(4, r * 0.6)));
      const aside = 0.7 * r + 0.5 * size;
      const stampOf = (worse: boolean) =>
        this.#stamp(`change ${worse} ${size}`, 2 * size + 3, (to, x, y) => {
          to.beginPath();
          to.arc(x, y, size, 0, 2 * Math.PI);
          to.fillStyle = this.#colours.page;
          to.fill();
          to.strokeStyle = this.#colours.text;
          to.lineWidth = 1.25;
          to.stroke();
          to.beginPath();
          changePath(to, worse, x, y, size);
          to.stroke();
        });
      const worse = stampOf(true);
      const fixed = stampOf(false);
      return (changed: number, x: number, y: number) => {
        if (changed & WORSE) worse(x + aside, y - aside);
        if (changed & FIXED) fixed(x - aside, y - aside);
      };
    };
    const onNode = marksAround(this.#radius());
    for (const i of seen) onNode(this.#changeOf(i), this.#sx(graph.x[i]!), this.#sy(graph.y[i]!));
    for (const c of closed) {
      if (this.#changed[c] === 0) continue;
      const { left, right, top, bottom } = clusters[c]!;
      const onRing = marksAround(this.#ringRadius(clusters[c]!));
      onRing(this.#changed[c]!, this.#sx((left + right) / 2), this.#sy((top + bottom) / 2));
    }
  }

  #pathLine(): void {
    if (this.#path.length === 0) return;
    const pen = this.#pen;
    const { graph } = this.#scene;
    pen.beginPath();
    this.#path.forEach((node, k) => {
      if (k > 0) this.#line(this.#path[k - 1]!, node);
    });
    pen.lineJoin = "round";
    pen.strokeStyle = this.#colours.page;
    pen.lineWidth = 6;
    pen.stroke();
    pen.strokeStyle = this.#colours.accent;
    pen.lineWidth = 2.5;
    pen.stroke();
    const r = Math.max(5, this.#radius());
    for (const node of this.#path) {
      const x = this.#sx(graph.x[node]!);
      const y = this.#sy(graph.y[node]!);
      pen.beginPath();
      pen.arc(x, y, r + 3, 0, 2 * Math.PI);
      pen.fillStyle = this.#colours.page;
      pen.fill();
      pen.strokeStyle = this.#colours.accent;
      pen.lineWidth = 2;
      pen.stroke();
      pen.beginPath();
      shapePath(pen, graph.severity[node]!, x, y, r - 0.5);
      pen.fillStyle = this.#colours.severity[graph.severity[node]!]!;
      pen.fill();
    }
  }

  #selection(): void {
    const node = this.#selected;
    if (node < 0) return;
    const { graph, start, adjacent } = this.#scene;
    const pen = this.#pen;
    pen.beginPath();
    for (let k = start[node]!; k < start[node + 1]!; k++) {
      const e = adjacent[k]!;
      const type = graph.edgeType[e]!;
      if (type !== this.#internetEdge && this.#hiddenEdge[type]) continue;
      this.#line(graph.from[e]!, graph.to[e]!);
    }
    pen.strokeStyle = this.#colours.accent;
    pen.globalAlpha = 0.75;
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.globalAlpha = 1;
    const r = Math.max(6, this.#radius() + 4);
    pen.beginPath();
    pen.rect(this.#sx(graph.x[node]!) - r, this.#sy(graph.y[node]!) - r, 2 * r, 2 * r);
    pen.lineWidth = 2;
    pen.strokeStyle = this.#colours.text;
    pen.stroke();
  }

  /** A name as far as there is room for it. Measuring is slow, and the same names come in every frame. */
  #cut(text: string, font: string, widest: number): { shown: string; width: number } {
    const key = `${font} ${widest} ${text}`;
    const known = this.#widths.get(key);
    if (known) return known;
    if (this.#widths.size > 2000) this.#widths.clear();
    const name = visible(text);
    let shown = name.length > 60 ? `${name.slice(0, 59)}…` : name;
    let { width } = this.#pen.measureText(shown);
    while (shown.length > 4 && width > widest) {
      shown = `${shown.slice(0, -3).trimEnd()}…`;
      width = this.#pen.measureText(shown).width;
    }
    const made = { shown, width };
    this.#widths.set(key, made);
    return made;
  }

  /** At most forty names: first what was chosen, then zones, then the worst nodes, none over another. */
  #labels(seen: readonly number[], open: readonly Cluster[], closed: readonly number[]): void {
    const { graph, clusters } = this.#scene;
    const { scale } = this.#camera;
    const placed: Box[] = [];
    const pen = this.#pen;
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    let left = MOST_LABELS;
    let tries = 5 * MOST_LABELS;
    const write = (text: string, x: number, y: number, bold: boolean, widest: number) => {
      if (left === 0 || tries === 0 || text === "") return;
      tries--;
      const font = `${bold ? "600 " : ""}11px ${this.#colours.font}`;
      if (font !== pen.font) pen.font = font;
      const { shown, width } = this.#cut(text, font, Math.round(widest / 8) * 8);
      const box = { left: x - width / 2 - 3, right: x + width / 2 + 3, top: y - 12, bottom: y + 4 };
      if (placed.some((other) => overlaps(other, box))) return;
      placed.push(box);
      left--;
      pen.globalAlpha = 0.82;
      pen.fillStyle = this.#colours.page;
      pen.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
      pen.globalAlpha = 1;
      pen.fillStyle = bold ? this.#colours.text : this.#colours.muted;
      pen.fillText(shown, x, y);
    };
    const r = this.#radius();
    const ofNode = (i: number, bold: boolean) =>
      write(
        graph.labels[i]!,
        this.#sx(graph.x[i]!),
        this.#sy(graph.y[i]!) + Math.max(r, 6) + 15,
        bold,
        bold ? 260 : Math.max(60, 2.6 * scale),
      );
    if (this.#selected >= 0) ofNode(this.#selected, true);
    for (const node of this.#path) ofNode(node, true);
    const nameOf = ({ zone }: Cluster) => (zone < 0 ? "Account" : graph.labels[zone]!);
    const bySize = [...open].sort((a, b) => b.members.length - a.members.length);
    for (const c of bySize) {
      const width = (c.right - c.left) * scale;
      if (width > 56)
        write(nameOf(c), this.#sx((c.left + c.right) / 2), this.#sy(c.top) - 4, true, Math.max(56, width));
    }
    const critical = (i: number) => this.#counts[i * this.#levels + CRITICAL]!;
    for (const i of [...closed].sort((a, b) => critical(b) - critical(a)).slice(0, 3 * MOST_LABELS)) {
      const c = clusters[i]!;
      const width = (c.right - c.left) * scale;
      if (this.#counts[i * this.#levels + CRITICAL]! > 0 || width > 20) {
        write(nameOf(c), this.#sx((c.left + c.right) / 2), this.#sy(c.bottom) + 11, false, Math.max(80, width * 2));
      }
    }
    if (this.#scene.internet >= 0 && this.#mask[this.#scene.internet] && !this.#path.includes(this.#scene.internet)) {
      const i = this.#scene.internet;
      // It lies above all zones, so its name stands above it.
      write(graph.labels[i]!, this.#sx(graph.x[i]!), this.#sy(graph.y[i]!) - Math.max(r, 6) - 3, true, 120);
    }
    if (scale < LABELS_FROM) return;
    for (let s = 0; s < this.#levels && left > 0; s++) {
      for (const i of seen) if (graph.severity[i] === s) ofNode(i, false);
    }
  }
}

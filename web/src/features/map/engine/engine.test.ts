import { expect, it } from "vitest";
import type { PostureGraph } from "../../graph/columns";
import { fitTo, LARGEST, mix, overlaps, pan, screenX, screenY, viewBox, worldX, worldY, zoomAt } from "./camera";
import { coloursBy } from "./colours";
import { shapePath, stepsOf } from "./glyph";
import { Grid } from "./grid";
import { isOpen, Scene } from "./scene";

const size = { width: 800, height: 600 };
const camera = { x: 10, y: 20, scale: 4 };

it("turns screen into world and back", () => {
  expect(worldX(camera, size, screenX(camera, size, 3.5))).toBeCloseTo(3.5);
  expect(worldY(camera, size, screenY(camera, size, -7))).toBeCloseTo(-7);
  expect(screenX(camera, size, 10)).toBe(400);
});

it("keeps the world under the pointer when it zooms, within its bounds", () => {
  const before = worldX(camera, size, 100);
  const closer = zoomAt(camera, size, 100, 50, 2, 1);
  expect(closer.scale).toBe(8);
  expect(worldX(closer, size, 100)).toBeCloseTo(before);
  expect(zoomAt(camera, size, 0, 0, 1e6, 1).scale).toBe(LARGEST);
  expect(zoomAt(camera, size, 0, 0, 1e-6, 1).scale).toBe(1);
});

it("fits a box, and never makes a small one huge", () => {
  const box = { left: 0, top: 0, right: 100, bottom: 10 };
  const all = fitTo(box, size, 0);
  expect(all).toEqual({ x: 50, y: 5, scale: 8 });
  expect(overlaps(viewBox(all, size, 0), box)).toBe(true);
  expect(fitTo({ left: 0, top: 0, right: 1, bottom: 1 }, size).scale).toBe(44);
});

it("cannot be panned away from the map", () => {
  const box = { left: 0, top: 0, right: 100, bottom: 100 };
  expect(pan(camera, box, 40, 0)).toEqual({ x: 0, y: 20, scale: 4 });
  expect(pan(camera, box, 1e6, -1e6)).toEqual({ x: 0, y: 100, scale: 4 });
});

it("glides from one camera to the other", () => {
  const to = { x: 0, y: 0, scale: 16 };
  expect(mix(camera, to, 0)).toEqual(camera);
  expect(mix(camera, to, 1)).toEqual(to);
});

it("finds the same points as a look at each of them", () => {
  const n = 500;
  // A fixed sequence that scatters well.
  const x = Float32Array.from({ length: n }, (_, i) => (i * 7919) % 97);
  const y = Float32Array.from({ length: n }, (_, i) => (i * 104_729) % 61);
  const grid = new Grid(x, y, { left: 0, top: 0, right: 97, bottom: 61 });
  for (const box of [
    { left: 10, top: 10, right: 30, bottom: 20 },
    { left: -50, top: -50, right: 500, bottom: 500 },
    { left: 40.5, top: 40.5, right: 40.6, bottom: 40.6 },
  ]) {
    const found: number[] = [];
    grid.each(box, (i) => found.push(i));
    const right = [...x.keys()].filter(
      (i) => x[i]! >= box.left && x[i]! <= box.right && y[i]! >= box.top && y[i]! <= box.bottom,
    );
    expect(found.sort((a, b) => a - b)).toEqual(right);
  }
  expect(grid.nearest(x[42]!, y[42]!, 3, (i) => i === 42)).toBe(42);
  expect(grid.nearest(x[42]!, y[42]!, 3, () => false)).toBe(-1);
});

/** The internet above an account of one tunnel and a zone of nine by nine. */
function graph(): PostureGraph {
  const ids = ["internet", "tunnel:1", "zone:1", ...Array.from({ length: 80 }, (_, i) => `dns:1:${i}`)];
  return {
    ids,
    labels: ids,
    index: new Map(ids.map((id, i) => [id, i])),
    type: Uint8Array.from(ids, (_, i) => (i === 0 ? 0 : 1)),
    zone: Int32Array.from(ids, (_, i) => (i < 2 ? -1 : 2)),
    severity: Uint8Array.from(ids, (_, i) => i % 6),
    findings: new Uint32Array(ids.length),
    x: Float32Array.from(ids, (_, i) => (i === 0 ? 8 : i === 1 ? 0 : 4 + ((i - 2) % 9))),
    y: Float32Array.from(ids, (_, i) => (i === 0 ? 0 : i === 1 ? 2 : 2 + Math.floor((i - 2) / 9))),
    from: Uint32Array.from([0, 3, 3]),
    to: Uint32Array.from([3, 2, 4]),
    edgeType: Uint8Array.from([1, 0, 2]),
    nodeTypes: ["internet", "x"],
    edgeTypes: ["belongs_to", "internet_to", "proxies"],
    severities: ["critical", "high", "medium", "low", "informational", "none"],
  };
}

it("groups nodes by zone, the internet apart, and knows the edges of each", () => {
  const scene = new Scene(graph());
  expect(scene.clusters.map(({ zone, members }) => [zone, members.length])).toEqual([
    [-1, 1],
    [2, 81],
  ]);
  expect(scene.clusterOf[0]).toBe(-1);
  expect(scene.clusters[1]).toMatchObject({ left: 3.5, top: 1.5, right: 12.5, bottom: 10.5 });
  expect([...scene.adjacent.subarray(scene.start[3], scene.start[4])]).toEqual([0, 1, 2]);
});

it("opens a zone when it and each of its members have room", () => {
  const zone = { left: 0, top: 0, right: 9, bottom: 9 };
  expect(isOpen(zone, 3)).toBe(false);
  expect(isOpen(zone, 3.2)).toBe(true);
  expect(isOpen({ ...zone, right: 1000 }, 1)).toBe(false);
});

it("moves to the node that lies ahead, and past what is hidden", () => {
  const scene = new Scene(graph());
  const mask = new Uint8Array(83).fill(1);
  expect(scene.towards(2, 1, 0, mask)).toBe(3);
  expect(scene.towards(2, 0, 1, mask)).toBe(11);
  expect(scene.towards(2, -1, 0, mask)).toBe(1);
  mask[3] = 0;
  expect(scene.towards(2, 1, 0, mask)).toBe(4);
  expect(scene.towards(0, 0, -1, mask)).toBe(-1);
});

it.each([
  [
    [0, 0, 0],
    [0, 0, 0],
  ],
  [
    [1, 0, 0],
    [12, 0, 0],
  ],
  [
    [1, 1000, 0],
    [1, 11, 0],
  ],
  [
    [1, 1, 1],
    [4, 4, 4],
  ],
  [
    [1, 1, 5],
    [2, 2, 8],
  ],
])("shares %j in twelve steps", (counts, steps) => expect(stepsOf(counts, 12)).toEqual(steps));

it("has another shape for every severity", () => {
  const shapes = Array.from({ length: 6 }, (_, severity) => {
    const calls: string[] = [];
    const note =
      (name: string) =>
      (...args: number[]) =>
        calls.push(`${name} ${args.map((n) => n.toFixed(2)).join(" ")}`);
    const pen = {
      moveTo: note("move"),
      lineTo: note("line"),
      closePath: note("close"),
      arc: note("arc"),
      rect: note("rect"),
    };
    shapePath(pen as unknown as Parameters<typeof shapePath>[0], severity, 0, 0, 5);
    return calls.join("\n");
  });
  expect(new Set(shapes).size).toBe(6);
  expect(shapes.every((calls) => calls !== "")).toBe(true);
});

it("asks for the colour of every severity by its token", () => {
  const colours = coloursBy((token) => token, ["critical", "informational", "none"], "sans");
  expect(colours.severity).toEqual(["--critical", "--info", "--hatch"]);
});

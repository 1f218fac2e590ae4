import { expect, it } from "vitest";
import type { PostureGraph } from "../graph/columns";
import { type Area, areasOf } from "./areas";
import { roomFor, tilesOf } from "./tiles";

const graph = {
  ids: ["internet", "zone:1", "dns:1", "zone:2", "worker:w", "worker:v"],
  labels: ["Internet", "quiet.example", "www", "bad.example", "w", "v"],
  type: Uint8Array.of(0, 1, 2, 1, 3, 3),
  zone: Int32Array.of(-1, 1, 1, 3, -1, -1),
  severity: Uint8Array.of(2, 2, 2, 0, 1, 2),
  unknown: Uint32Array.of(0, 3, 1, 0, 0, 0),
  nodeTypes: ["internet", "zone", "dns_record", "worker"],
  severities: ["critical", "high", "none"],
} as unknown as PostureGraph;

it("sums up zones, and what lies in none by its type, the riskiest first", () => {
  const changes = { worse: Uint32Array.of(0, 0, 2, 0, 0, 0), fixed: Uint32Array.of(0, 0, 0, 1, 0, 0) };
  const areas = areasOf(graph, new Uint8Array(6).fill(1), changes);
  expect(
    areas.map(({ zone, type, label, resources, worst, unknown, risk, worse, fixed }) => [
      zone ?? type,
      label,
      resources,
      worst,
      unknown,
      risk,
      worse,
      fixed,
    ]),
  ).toEqual([
    ["2", "bad.example", 1, "critical", 0, 40, 0, 1],
    ["worker", "Workers", 2, "high", 0, 10, 0, 0],
    ["1", "quiet.example", 2, "none", 4, 0, 2, 0],
  ]);
  expect(areasOf(graph, Uint8Array.of(0, 0, 0, 0, 0, 1)).map(({ label }) => label)).toEqual(["Workers"]);
});

const area = (risk: number): Area => ({
  zone: String(risk),
  type: undefined,
  label: "",
  resources: 60,
  counts: [],
  worst: "none",
  unknown: 0,
  risk,
  worse: 0,
  fixed: 0,
});

it.each([
  [1100, 520],
  [860, 480],
  [358, 380],
])("lays out areas of very different risk in %i by %i so that each has room for its name", (width, height) => {
  const room = roomFor(width, height);
  const areas = Array.from({ length: room }, (_, i) => area(i === 0 ? 4000 : i % 5));
  const tiles = tilesOf(areas, true, width, height);
  expect(tiles).toHaveLength(room + 1);
  let covered = 0;
  for (const tile of tiles) {
    expect(tile.width).toBeGreaterThanOrEqual(60);
    expect(tile.height).toBeGreaterThanOrEqual(40);
    covered += tile.width * tile.height;
  }
  expect(covered / (width * height)).toBeGreaterThan(0.9);
});

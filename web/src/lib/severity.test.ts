import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SEVERITIES, severityShape, severityWord } from "./severity";

it("tells every severity by a shape of its own", () => {
  expect(new Set(SEVERITIES.map(severityShape)).size).toBe(SEVERITIES.length);
  expect(new Set(SEVERITIES.map(severityWord)).size).toBe(SEVERITIES.length);
});

it("shows a severity it does not know by its own word", () => {
  expect(severityWord("catastrophic")).toBe("catastrophic");
  expect(severityShape("catastrophic")).toBe("bar");
});

// Colours are the third way to tell severities apart, and the easiest to spoil.
const tokens = readFileSync(new URL("../styles/tokens.css", import.meta.url), "utf8");

function token(name: string, theme: "light" | "dark"): number[] {
  const pair = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens);
  const hex = pair?.[theme === "light" ? 1 : 2];
  if (!hex) throw new Error(`no token ${name}`);
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
}

const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const row = (weights: number[], values: number[]) => weights.reduce((sum, w, i) => sum + w * (values[i] ?? 0), 0);
const times = (matrix: number[][], values: number[]) => matrix.map((weights) => row(weights, values));

function contrast(a: number[], b: number[]): number {
  const light = (rgb: number[]) => row([0.2126, 0.7152, 0.0722], rgb.map(linear)) + 0.05;
  return Math.max(light(a), light(b)) / Math.min(light(a), light(b));
}

function oklab(rgb: number[]): number[] {
  const lms = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  ).map(Math.cbrt);
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    lms,
  );
}

// Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
const VISION: Record<string, number[][]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const FILLS = ["critical", "high", "medium", "low", "info"];

for (const theme of ["light", "dark"] as const) {
  it.each(Object.entries(VISION))(`keeps the ${theme} fills apart for %s eyes`, (_, matrix) => {
    const seen = FILLS.map((name) => oklab(times(matrix, token(name, theme).map(linear)).map((c) => Math.max(0, c))));
    const distances = seen.flatMap((a, i) =>
      seen.slice(i + 1).map((b) => Math.hypot(...a.map((v, k) => v - (b[k] ?? 0)))),
    );
    expect(Math.min(...distances)).toBeGreaterThan(0.08);
  });

  it.each(FILLS)(`writes %s legibly in ${theme}`, (name) => {
    expect(contrast(token(`${name}-ink`, theme), token(`${name}-tint`, theme))).toBeGreaterThan(5.5);
  });
}

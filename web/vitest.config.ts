import { existsSync, readdirSync, readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Chromium without its windows takes 40 % less processor time. Pictures, sweeps and figures are of the whole browser.
const SHELL = "/usr/bin/chromium-headless-shell";
const CHROMIUM = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : "/usr/bin/chromium");

/** What takes a part of its cases only, of which the sweep takes all. */
const PARTED = readdirSync("e2e")
  .filter((file) => file.endsWith(".spec.ts"))
  .map((file) => `e2e/${file}`)
  .filter((file) => readFileSync(file, "utf8").includes("fixtures/some.ts"));

export default defineConfig({
  test: {
    projects: [
      { plugins: [react()], test: { name: "unit", include: ["src/**/*.test.{ts,tsx}"], environment: "node" } },
      ...["spec", "sweep"].map((kind) => ({
        test: {
          name: kind === "spec" ? "e2e" : kind,
          include: kind === "spec" ? ["e2e/**/*.spec.ts"] : ["e2e/**/*.sweep.ts", ...PARTED],
          env: kind === "sweep" ? { SWEEP: "1" } : { CHROMIUM },
          environment: "node",
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 45_000 } },
          // A machine that stood still loses no run of everything; what passed only then is named in the report.
          retry: process.env.CI ? 1 : 0,
          // A browser keeps two thirds of a core busy: three of them for two cores, each for all files of its worker.
          isolate: false,
          maxWorkers: 3,
        },
      })),
      {
        test: {
          name: "bench",
          include: ["e2e/bench/*.ts"],
          globalSetup: "e2e/fixtures/figures.ts",
          environment: "node",
          testTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "pictures",
          include: ["e2e/pictures.sweep.ts"],
          env: { PICTURES: "take" },
          environment: "node",
          testTimeout: 120_000,
        },
      },
      { test: { name: "recording", include: ["e2e/recording.ts"], environment: "node" } },
      { test: { name: "screenshot", include: ["e2e/screenshot.ts"], environment: "node", testTimeout: 120_000 } },
    ],
  },
});

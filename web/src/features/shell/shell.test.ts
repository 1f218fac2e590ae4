import { expect, it } from "vitest";
import type { Health } from "../../api/types";
import { healthTrouble } from "./healthTrouble";
import { keyProblem } from "./keyProblem";

const health: Health = {
  status: "ok",
  version: "1.0.0",
  uptimeSeconds: 1,
  store: { name: "sqlite", status: "ok" },
  queue: { name: "embedded", status: "ok" },
  settings: { name: "file", status: "ok" },
  workers: 1,
  remediation: "disabled",
  authRequired: false,
  lastAssessmentAt: null,
  demo: true,
};

it.each([
  [{}, ""],
  [{ status: "degraded", workers: 0 }, "no worker"],
  [{ status: "degraded", store: { name: "sqlite", status: "failing" } }, "store (sqlite) fails"],
  [{ status: "degraded", settings: { name: "file", status: "failing" } }, "settings cannot be used"],
  [{ status: "degraded" }, "unknown reason"],
] as [Partial<Health>, string][])("%j", (part, words) => expect(healthTrouble({ ...health, ...part })).toBe(words));

it.each([
  ["", "Enter the key."],
  ["abc-123", ""],
  ["a\nb", "A key has letters, digits and plain signs only."],
  ["ключ", "A key has letters, digits and plain signs only."],
])("key %j", (key, words) => expect(keyProblem(key)).toBe(words));

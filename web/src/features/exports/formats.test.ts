import { expect, it } from "vitest";
import { bytes, FORMATS, fileName } from "./formats";

it("names a file by account and date, whatever the account is called", () => {
  expect(fileName("Acme GmbH", "2026-03-01T10:00:00Z", "", "sarif")).toBe("edgeposture-acme-gmbh-2026-03-01.sarif");
  expect(fileName("../<b>\u202E", "2026-03-01T10:00:00Z", "ocsf", "ndjson")).toBe(
    "edgeposture-b-2026-03-01-ocsf.ndjson",
  );
  expect(fileName("Söhne & Großmann", "2026-03-01T10:00:00Z", "", "csv")).toBe(
    "edgeposture-sohne-grossmann-2026-03-01.csv",
  );
  expect(fileName("日本", "2026-03-01T10:00:00Z", "", "csv")).toBe("edgeposture-account-2026-03-01.csv");
});

it("offers formats once each and says sizes", () => {
  const ids = FORMATS.map(({ id }) => id);
  expect(ids[0]).toBe("json");
  expect(new Set(ids).size).toBe(ids.length);
  expect([999, 1500, 1_860_000].map(bytes)).toEqual(["999 B", "1.5 kB", "1.9 MB"]);
});

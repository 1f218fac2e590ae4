import { expect, it } from "vitest";
import { inZone, schedulesSearch } from "./search";

it("shows an instant by the clocks of the zone", () => {
  expect(inZone("2026-07-01T22:30:00Z", "Europe/Berlin")).toBe("2 Jul 2026, 00:30");
  expect(inZone("2026-07-01T22:30:00Z", "")).toBe("1 Jul 2026, 22:30");
  expect(inZone("2026-07-01T22:30:00Z", "No/Where")).toBe("1 Jul 2026, 22:30 UTC");
  expect(inZone("never", "UTC")).toBe("never");
});

it("keeps what is edited", () => {
  expect(schedulesSearch({ edit: " new ", other: "x" })).toEqual({ edit: "new" });
});

import { describe, expect, it } from "vitest";
import { ServiceClock } from "./serviceClock";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const DAY = 86_400_000;
const http = (at: number) => new Date(at).toUTCString();

describe("the clock of the service", () => {
  it("is the reader's until an answer says otherwise, and when it says nothing", () => {
    const clock = new ServiceClock();
    expect(clock.at(NOW)).toBe(NOW);
    for (const date of [null, "", "soon"]) clock.heard(date, NOW, NOW + 50);
    expect(clock.at(NOW)).toBe(NOW);
  });

  it.each([DAY, -DAY])(
    "follows a service that is %d ms away, and the reader's clock when that is set right",
    (away) => {
      const clock = new ServiceClock();
      clock.heard(http(NOW + away), NOW - 50, NOW);
      expect(clock.at(NOW)).toBe(NOW + away);
      // The seconds of a header do not make the time jump.
      clock.heard(http(NOW + away - 1000), NOW, NOW + 400);
      expect(clock.at(NOW)).toBe(NOW + away);
      clock.heard(http(NOW), NOW - 50, NOW);
      expect(clock.at(NOW)).toBe(NOW);
    },
  );

  it("believes no answer that was on its way while the computer slept", () => {
    const clock = new ServiceClock();
    clock.heard(http(NOW), NOW, NOW + DAY);
    expect(clock.at(NOW + DAY)).toBe(NOW + DAY);
    clock.heard(http(NOW), NOW + DAY, NOW);
    expect(clock.at(NOW)).toBe(NOW);
  });
});

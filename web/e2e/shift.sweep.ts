import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";
import { furnish, ROUTES } from "./fixtures/routes.ts";
import { noteShifts, OneByOne, shiftsOf } from "./fixtures/shift.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

stage(() => furnish(mock));

it.each(ROUTES.flatMap(([route, text]) => [1440, 1024, 390].map((width) => [route, width, text] as const)))(
  "%s at %i pixels",
  async (route, width, text) => {
    const { page } = watched;
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    await noteShifts(page);
    const answers = new OneByOne(page);
    await answers.hold();
    const address = route.replace("FINDING", mock.assessments[0]?.findings[0]?.id ?? "");
    await page.goto(address);
    await answers.through(text);
    const cold = await shiftsOf(page);
    await page.evaluate(() => history.pushState({}, "", "/about"));
    await answers.through("Licences");
    await shiftsOf(page);
    await page.evaluate((to) => history.pushState({}, "", to), address);
    await answers.through(text);
    const warm = await shiftsOf(page);
    for (const [how, shifts] of [
      ["cold", cold],
      ["warm", warm],
    ] as const) {
      const sum = shifts.reduce((sum, { value }) => sum + value, 0);
      if (sum > 0.001)
        appendFileSync(
          "/tmp/shift.txt",
          `${sum.toFixed(3)}\t${how}\t${width}\t${route}\n${shifts
            .filter((s) => s.value > 0.005)
            .map(({ value, moved }) => `      ${value.toFixed(3)} ${moved}\n`)
            .join("")}`,
        );
    }
    expect(true).toBe(true);
  },
);

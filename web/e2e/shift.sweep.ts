import { expect, it } from "vitest";
import { addressOf, furnish, ROUTES } from "./fixtures/routes.ts";
import { noteShifts, type Shift, Slowly, shiftsOf } from "./fixtures/shift.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

/** Half of what counts as good. */
const MOST = 0.05;
const WIDTHS = [1440, 1024, 390];

stage(() => furnish(mock));

const moved = (shifts: Shift[]) => {
  const sum = shifts.reduce((all, { value }) => all + value, 0);
  return sum > MOST ? shifts.map(({ value, moved }) => `${value.toFixed(3)}: ${moved.join("; ")}`) : [];
};

it.each(ROUTES.flatMap(([route, text]) => WIDTHS.map((width) => ({ route, width, text }))))(
  "$route keeps its place while it loads slowly at $width pixels",
  async ({ route, width, text }) => {
    const { page } = watched;
    const address = addressOf(mock, route);
    await page.setViewportSize({ width, height: 900 });
    await noteShifts(page);
    const answers = new Slowly(page);
    await answers.begin();
    await page.goto(address);
    await answers.all(text);
    expect(moved(await shiftsOf(page)), "opened").toEqual([]);
    const goTo = (to: string) => page.evaluate((to) => history.pushState({}, "", to), to);
    await goTo("/about");
    await answers.all("Licences");
    await shiftsOf(page);
    await goTo(address);
    await answers.all(text);
    expect(moved(await shiftsOf(page)), "come back to").toEqual([]);
  },
);

import { expect, it } from "vitest";
import { account, assessment } from "./fixtures/account.ts";
import { mock, stage, watched } from "./fixtures/stage.ts";

const NAME = "müller / söhne $a";

/** How long a page may wait for answers before it is drawn without them, in ms. */
const PATIENCE = 100;

stage(() => {
  mock.accounts = [account({ name: NAME })];
  mock.assessments = [assessment()];
});

it.each(["", "/r/latest/issues?q=ssl", "/r/latest/paths/ap%3Aexposed-origin%3Adns%3A1%3A0#fix", "/settings"])(
  "an account's name in an address (%s) gives way to its id before anything is asked by it",
  async (rest) => {
    const { page } = watched;
    // The machine may be too busy to answer in time.
    await page.addInitScript((patience) => {
      const { setTimeout } = window;
      const patient = (work: () => void, ms?: number) => (ms === patience ? 0 : setTimeout(work, ms));
      window.setTimeout = patient as typeof window.setTimeout;
    }, PATIENCE);
    await page.goto(`/a/${encodeURIComponent(NAME)}${rest}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const { pathname, search, hash } = new URL(page.url());
    expect(pathname + search + hash).toBe(`/a/acc${rest}`);
    const word = new RegExp(`[=/]${encodeURIComponent("müller")}`);
    expect(mock.log.filter((line) => word.test(line))).toEqual([]);
    // Going back leads out of the account, not to its other address.
    expect(await page.evaluate(() => history.length)).toBe(2);
  },
);

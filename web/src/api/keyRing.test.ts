import { expect, it } from "vitest";
import { KeyRing } from "./keyRing";

it("asks once for all requests that were refused", async () => {
  const ring = new KeyRing();
  const refused = [ring.renew(0), ring.renew(0)];
  expect(ring.prompt()).toEqual({ open: true, dismissed: false });
  ring.signedIn();
  expect(await Promise.all(refused)).toEqual([true, true]);
  expect(ring.current()).toEqual({ key: undefined, serial: 1, actor: undefined });
});

it("sends a late refusal again instead of asking", async () => {
  const ring = new KeyRing();
  ring.signedIn();
  expect(await ring.renew(0)).toBe(true);
  expect(ring.prompt().open).toBe(false);
});

it("asks again when a session has ended, and forgets a key that is not needed any more", () => {
  const ring = new KeyRing();
  ring.signedIn("key:1", "k");
  expect(ring.current()).toEqual({ key: "k", serial: 1, actor: "key:1" });
  void ring.renew(1);
  expect(ring.prompt().open).toBe(true);
  ring.signedIn();
  expect(ring.current()).toEqual({ key: undefined, serial: 2, actor: undefined });
});

it("does not nag after it was closed, until asked", async () => {
  const ring = new KeyRing();
  const refused = ring.renew(0);
  ring.dismiss();
  expect(await refused).toBe(false);
  expect(await ring.renew(0)).toBe(false);
  expect(ring.prompt().open).toBe(false);
  ring.askAgain();
  void ring.renew(0);
  expect(ring.prompt().open).toBe(true);
});

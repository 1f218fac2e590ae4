import { expect, it } from "vitest";
import { KeyRing } from "./keyRing";

function keep() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

it("asks once for all requests that were refused", async () => {
  const ring = new KeyRing();
  const refused = [ring.renew(0), ring.renew(0)];
  expect(ring.prompt()).toEqual({ open: true, refused: false, dismissed: false });
  ring.submit("k", false);
  expect(await Promise.all(refused)).toEqual([true, true]);
  expect(ring.current()).toEqual({ key: "k", serial: 1 });
});

it("sends a late refusal again with the newer key instead of asking", async () => {
  const ring = new KeyRing();
  ring.submit("k", false);
  expect(await ring.renew(0)).toBe(true);
  expect(ring.prompt().open).toBe(false);
});

it("says that a key was refused", () => {
  const ring = new KeyRing();
  ring.submit("wrong", false);
  void ring.renew(1);
  expect(ring.prompt()).toMatchObject({ open: true, refused: true });
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

it("keeps a key only when told to, and forgets an older one", () => {
  const storage = keep();
  const ring = new KeyRing(storage);
  ring.submit("a", true);
  expect([...storage.items.values()]).toEqual(["a"]);
  expect(new KeyRing(storage).current().key).toBe("a");
  ring.submit("b", false);
  expect(storage.items.size).toBe(0);
});

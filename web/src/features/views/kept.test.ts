import { expect, it } from "vitest";
import { keptViews, moveViews, renamed } from "./kept";

const KEY = "edgeposture.findings.views";

function storage(text: string | null) {
  const kept = new Map(text === null ? [] : [[KEY, text]]);
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const two = JSON.stringify([
  { name: " A ", query: "severity=low" },
  { name: "B", query: "" },
]);

it.each([
  [null, []],
  ["{broken", []],
  ['{"name":"A"}', []],
  ['[null, 7, {"name":"A"}, {"name":" ","query":""}]', []],
  [
    two,
    [
      { name: "A", query: "severity=low" },
      { name: "B", query: "" },
    ],
  ],
])("reads %j", (text, want) => expect(keptViews(() => storage(text))).toEqual(want));

it("reads nothing where storage is refused", () =>
  expect(
    keptViews(() => {
      throw new Error("denied");
    }),
  ).toEqual([]));

it("forgets what was sent and nothing else", async () => {
  const at = storage(two);
  const sent: string[] = [];
  const send = async ({ name }: { name: string }) => {
    if (name === "B" && sent.length === 1) throw new Error("full");
    sent.push(name);
  };
  await expect(moveViews(() => at, send)).rejects.toThrow("full");
  expect(keptViews(() => at)).toEqual([{ name: "B", query: "" }]);
  sent.length = 0;
  await moveViews(() => at, send);
  expect(sent).toEqual(["B"]);
  expect(at.kept.size).toBe(0);
});

it("gives another name of at most 60 characters", () => {
  expect(renamed("Mine", 2)).toBe("Mine (2)");
  expect(renamed("x".repeat(60), 12)).toHaveLength(60);
});

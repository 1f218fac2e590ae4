import { expect, it } from "vitest";
import { keepViews, loadViews, viewQuery, viewSearch, withView } from "./savedViews";
import { findingsSearch } from "./search";

function storageOf(text: string | null) {
  let kept = text;
  return () => ({
    getItem: () => kept,
    setItem: (_: string, value: string) => {
      kept = value;
    },
  });
}
const refused = () => {
  throw new DOMException("no", "SecurityError");
};

it.each([null, "", "{", "7", "null", '{"name":"x"}', '[null,7,{"name":1},{"name":" ","query":"a=b"},{"name":"x"}]'])(
  "takes broken storage %s for none",
  (text) => expect(loadViews(storageOf(text))).toEqual([]),
);

it("survives a browser that refuses", () => {
  expect(loadViews(refused)).toEqual([]);
  expect(keepViews(refused, [])).toBe(false);
});

it("gives back what it kept, and the same search", () => {
  const storage = storageOf(null);
  const search = findingsSearch({ severity: "critical", category: "-dns", group: "zone", in: "x", q: "a&b=c" });
  const views = withView([], { name: " Bad ones ", query: viewQuery(search) });
  expect(keepViews(storage, views)).toBe(true);
  expect(loadViews(storage)).toEqual([
    { name: "Bad ones", query: "severity=critical&category=-dns&q=a%26b%3Dc&group=zone" },
  ]);
  expect(viewSearch(loadViews(storage)[0] as never)).toEqual({ ...search, in: undefined });
});

it("replaces the view of the same name, and keeps no nonsense of a foreign query", () => {
  const views = withView(
    [
      { name: "a", query: "q=1" },
      { name: "b", query: "" },
    ],
    { name: "a", query: "q=2" },
  );
  expect(views).toEqual([
    { name: "a", query: "q=2" },
    { name: "b", query: "" },
  ]);
  expect(viewSearch({ name: "x", query: "severity=evil&finding=1&__proto__=x" })).toEqual(findingsSearch({}));
});

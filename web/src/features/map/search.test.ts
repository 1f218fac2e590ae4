import { expect, it } from "vitest";
import { mapSearch } from "./search";

const ID = "0195f2a0-0000-7000-8000-000000000001";
const set = (raw: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(mapSearch(raw)).filter(([, value]) => value !== undefined));

it.each([
  [{}, {}],
  [
    { node: " zone:1 ", hops: "2", against: "before" },
    { node: "zone:1", hops: "2", against: "before" },
  ],
  [{ against: ID }, { against: ID }],
  // Hops are counted from a node, so without one they mean nothing.
  [{ hops: "2" }, {}],
  [{ node: "zone:1", hops: "4", against: "latest" }, { node: "zone:1" }],
  [{ node: "zone:1", hops: "-1", against: 3 }, { node: "zone:1" }],
  [{ types: "zone,nonsense", severity: "critical,high,medium,low,informational,none", q: "" }, { types: "zone" }],
])("validates %j", (raw, search) => expect(set(raw)).toEqual(search));

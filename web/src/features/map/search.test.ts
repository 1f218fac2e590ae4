import { expect, it } from "vitest";
import { mapSearch } from "./search";

const ID = "0195f2a0-0000-7000-8000-000000000001";
const set = (raw: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(mapSearch(raw)).filter(([, value]) => value !== undefined));

it.each([
  [{}, {}],
  [
    { node: " zone:1 ", against: "before", direct: "yes", skip: "40" },
    { node: "zone:1", against: "before", direct: "yes", skip: "40" },
  ],
  [{ against: ID }, { against: ID }],
  [{ node: "zone:1", against: "latest", direct: "no", skip: "-1" }, { node: "zone:1" }],
  // A zone says more than a group.
  [{ zone: "1", group: "worker" }, { zone: "1" }],
  [{ group: "worker" }, { group: "worker" }],
  [{ group: "nonsense" }, {}],
  [{ types: "zone,nonsense", severity: "critical,high,medium,low,informational,none", q: "" }, { types: "zone" }],
])("validates %j", (raw, search) => expect(set(raw)).toEqual(search));

import { expect, it } from "vitest";
import { type Column, columnsParam, shownColumns } from "./column";

const column = (id: string, part: Partial<Column<object>> = {}): Column<object> => ({
  id,
  name: id,
  cell: () => id,
  ...part,
});
const all = [
  column("rank", { fixed: "first" }),
  column("a"),
  column("what", { fixed: "anywhere" }),
  column("b"),
  column("c", { shown: false }),
  column("fix", { fixed: "last" }),
];

it.each([
  [undefined, "rank,a,what,b,fix"],
  ["b,what", "rank,b,what,fix"],
  ["c", "rank,what,c,fix"],
  ["fix,rank,nonsense,a,what", "rank,a,what,fix"],
  ["nonsense", "rank,a,what,b,fix"],
])("columns of %j", (chosen, want) =>
  expect(
    shownColumns(all, chosen)
      .map(({ id }) => id)
      .join(","),
  ).toBe(want),
);

it.each([
  [undefined, undefined],
  ["", undefined],
  [7, undefined],
  ["a,b,a,,<b>,zoneId", "a,b,zoneId"],
])("parameter %j", (value, want) => expect(columnsParam(value)).toBe(want));

import { expect, it } from "vitest";
import { ApiProblem } from "../api/errors";
import { listOf, problemAt, problemElsewhere } from "./fieldProblem";

const refused = new ApiProblem({
  status: 422,
  title: "Unprocessable",
  detail: "No.",
  fields: [
    { location: "body.zones[2]", message: "not a pattern" },
    { location: "body.name", message: "taken" },
  ],
});

it.each([
  ["body.zones[2]", "zones", true],
  ["body.inputs.CFL-1", "inputs", true],
  ["query.limit", "limit", true],
  ["body.match.checkIds[0]", "match.checkIds", true],
  ["body.match.checkIds[0]", "match.check", false],
  ["body.zonesToo", "zones", false],
  ["path.id", "id", false],
  ["", "zones", false],
])("takes %j for about %s: %s", (location, name, about) => {
  const error = new ApiProblem({ status: 422, title: "", detail: "", fields: [{ location, message: "no" }] });
  expect(problemAt(error, name) !== undefined).toBe(about);
});

it("puts each problem at its field", () => {
  expect(problemAt(refused, "zones")).toBe("not a pattern");
  expect(problemAt(refused, "token")).toBeUndefined();
  expect(problemAt(null, "zones")).toBeUndefined();
});

it("tells the parts of a list apart", () => {
  const fields = [{ location: "body.rules[2].zone", message: "not a pattern" }];
  const error = new ApiProblem({ status: 422, title: "Unprocessable", detail: "No.", fields });
  expect(problemAt(error, "rules[2].zone")).toBe("not a pattern");
  expect(problemAt(error, "rules[1].zone")).toBeUndefined();
  expect(problemElsewhere(error, ["rules[2].zone"])).toBeUndefined();
  expect(problemElsewhere(error, ["rules[1].zone"])).toBe(error);
});

it("keeps a problem that no field shows", () => {
  expect(problemElsewhere(refused, ["zones", "name"])).toBeUndefined();
  expect(problemElsewhere(refused, ["zones"])).toBe(refused);
  expect(problemElsewhere(new TypeError("x"), ["zones"])?.status).toBe(0);
  expect(problemElsewhere(null, [])).toBeUndefined();
});

it("reads a list as it is typed", () => {
  expect(listOf(" a.example, b.example\nc.example a.example ")).toEqual(["a.example", "b.example", "c.example"]);
  expect(listOf(" ")).toEqual([]);
});

import { expect, it } from "vitest";
import { ApiProblem } from "../api/errors";
import { fieldOf, listOf, problemAt, problemElsewhere } from "./fieldProblem";

const refused = new ApiProblem({
  status: 422,
  title: "Unprocessable",
  detail: "No.",
  fields: [
    { location: "body.zones[2]", message: "not a pattern" },
    { location: "body.name", message: "taken" },
  ],
});

it("finds the field of a location", () => {
  expect(fieldOf("body.zones[2]")).toBe("zones");
  expect(fieldOf("body.inputs.CFL-1")).toBe("inputs");
  expect(fieldOf("query.limit")).toBe("limit");
  expect(fieldOf("")).toBe("");
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

import { describe, expect, it } from "vitest";
import { ApiProblem, asProblem, problemFrom, refusedWith, retryAfterSeconds, worthRetrying } from "./errors";

describe("problemFrom", () => {
  it("takes what the service says", () => {
    const problem = problemFrom(422, new Headers(), {
      title: "Unprocessable",
      detail: "zone x is unknown",
      code: "invalid_request",
      requestId: "r1",
      errors: [{ location: "body.zones[0]", message: "unknown zone", value: "x" }, null, 3, { location: "y" }],
    });
    expect(problem).toMatchObject({
      status: 422,
      title: "Unprocessable",
      detail: "zone x is unknown",
      code: "invalid_request",
      requestId: "r1",
      fields: [{ location: "body.zones[0]", message: "unknown zone" }],
    });
  });

  it.each([["<html>bad gateway</html>"], [undefined], [null], [[]], [{ title: 5, detail: "" }]])(
    "does not trust the body %j",
    (body) => {
      const problem = problemFrom(502, new Headers({ "X-Request-Id": "h1", "Retry-After": "7" }), body);
      expect(problem.title).toBe("A service behind this one failed");
      expect(problem.detail).not.toBe("");
      expect(problem.requestId).toBe("h1");
      expect(problem.retryAfterSeconds).toBe(7);
    },
  );
});

it.each([
  ["12", 12],
  [" 0 ", 0],
  ["Sun, 01 Mar 2026 12:00:30 GMT", 30],
  ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
  ["soon", undefined],
  ["", undefined],
  [null, undefined],
])("reads Retry-After %j", (header, seconds) =>
  expect(retryAfterSeconds(header, Date.parse("2026-03-01T12:00:00Z"))).toBe(seconds),
);

it.each([
  [{ code: "not_found" }, true],
  ["<html><h1>404</h1>nginx</html>", false],
  [{ message: "no Route matched with those values" }, false],
])("takes a 404 of %j for the service's own: %s", (body, own) => {
  const problem = problemFrom(404, new Headers(), body);
  expect(refusedWith(problem, 404, 422)).toBe(own);
  expect(refusedWith(problem, 422)).toBe(false);
});

it("keeps a problem, and names what is none", () => {
  const problem = new ApiProblem({ status: 429, title: "t", detail: "d" });
  expect(asProblem(problem)).toBe(problem);
  expect(asProblem(new TypeError("x is undefined")).title).toBe("The page failed");
  expect(asProblem(new SyntaxError("Unexpected token")).title).toBe("The answer was not readable");
  expect(asProblem("odd").detail).toBe("odd");
});

it.each([
  [401, false],
  [404, false],
  [429, false],
  [500, false],
  [502, true],
  [503, true],
])("tries %d again by itself: %s", (status, again) =>
  expect(worthRetrying(new ApiProblem({ status, title: "", detail: "" }))).toBe(again),
);

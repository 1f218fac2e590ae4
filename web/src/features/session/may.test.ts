import { expect, it } from "vitest";
import type { Identity } from "../../api/types";
import { may } from "./may";

const who = (part: Partial<Identity>): Identity => ({
  actor: "user:ada@example.com",
  kind: "user",
  grants: [],
  authRequired: true,
  remediation: "disabled",
  ...part,
});
const shop = { id: "1", labels: ["production"] };
const blog = { id: "2", labels: ["staging"] };

it("lets root do everything, and leaves it to the service while nobody is known", () => {
  expect(may(who({ kind: "root" }), "administrator", "all")).toBe(true);
  expect(may(undefined, "administrator", "all")).toBe(true);
  expect(may(who({}), "viewer", "some")).toBe(false);
});

it("includes the roles before", () => {
  const ada = who({ grants: [{ role: "operator" }] });
  expect(may(ada, "analyst", "all")).toBe(true);
  expect(may(ada, "operator", shop)).toBe(true);
  expect(may(ada, "remediator", "some")).toBe(false);
});

it("holds for the accounts and labels of the grant alone", () => {
  const ada = who({ grants: [{ role: "viewer" }, { role: "operator", accounts: ["1"], labels: ["staging"] }] });
  expect([shop, blog, "some"].map((where) => may(ada, "operator", where as typeof shop))).toEqual([true, true, true]);
  expect(may(ada, "operator", "all")).toBe(false);
  expect(may(ada, "operator", { id: "3", labels: ["production"] })).toBe(false);
  expect(may(ada, "viewer", "all")).toBe(true);
});

import { expect, it } from "vitest";
import { afterRunOf, policyValue, policyWord } from "./AccountForm";

it("reads a threshold by the type it has", () => {
  expect(policyValue(14, " 30 ")).toBe(30);
  expect(policyValue(14, "soon")).toBeUndefined();
  expect(policyValue(false, "true")).toBe(true);
  expect(policyValue(false, "yes")).toBeUndefined();
  expect(policyValue([], "a.example, b.example")).toEqual(["a.example", "b.example"]);
  expect(policyValue(["a"], "")).toEqual([]);
  expect(policyValue("", "public")).toBe("public");
  expect(policyWord("tokenWarnDays")).toBe("token warn days");
});

it("sends what follows a run only when something does", () => {
  const form = new FormData();
  form.set("when", "worse");
  form.set("ship", "");
  expect(afterRunOf(form)).toEqual({});
  form.append("notify", "webhook");
  form.append("notify", "chat_a");
  form.set("threshold", "high");
  expect(afterRunOf(form)).toEqual({ notify: ["chat_a", "webhook"], threshold: "high", when: "worse" });
  form.set("ship", "search");
  form.set("onlyChanges", "on");
  expect(afterRunOf(form)).toMatchObject({ ship: "search", onlyChanges: true });
});

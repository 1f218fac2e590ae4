import { expect, it } from "vitest";
import type { AlertRule } from "../../api/types";
import { leastWords, namesOf, ruleWords, testedWords } from "./words";

const rule = (part: Partial<AlertRule> = {}): AlertRule => ({
  id: "1",
  name: "on call",
  events: ["opened", "worse", "overdue"],
  severity: "high",
  accounts: [],
  owners: [],
  channel: "chat_a",
  ownAddress: false,
  timeZone: "Europe/Berlin",
  paused: false,
  createdAt: "2026-05-01T00:00:00Z",
  updatedAt: "2026-05-01T00:00:00Z",
  ...part,
});
const words = (part: Partial<AlertRule> = {}) => ruleWords(rule(part), (id) => `account ${id}`);

it("says what a rule tells, where to and when", () => {
  expect(words()).toBe("High and above, new or more severe or overdue → Slack, at once");
  expect(words({ owners: ["Web"], quiet: { from: "20:00", to: "07:00", weekends: true } })).toBe(
    "High and above, new or more severe or overdue, owned by Web → Slack, at once; quiet 20:00–07:00 and at weekends, Europe/Berlin",
  );
  expect(words({ quiet: { from: "", to: "", weekends: true } })).toMatch(/; quiet at weekends, Europe\/Berlin$/);
  expect(words({ events: ["resolved"], accounts: ["a", "b"], channel: "webhook", ownAddress: true })).toBe(
    "High and above, resolved, in account a or account b → Webhook at an address of its own, at once",
  );
  expect(words({ owners: ["Web", "none"], daily: "08:30", severity: "critical" })).toBe(
    "Critical, new or more severe or overdue, owned by Web or nobody → Slack, daily at 08:30, Europe/Berlin",
  );
});

it("shows names as they are", () => expect(words({ owners: ["\u202Ebew"] })).toContain("owned by [U+202E]bew"));

it("names the least severity", () =>
  expect(["critical", "medium", "informational"].map(leastWords)).toEqual([
    "Critical",
    "Medium and above",
    "Any severity",
  ]));

it.each([
  [0, "No issue that the rule is about is open."],
  [1, "It tells of 1 issue."],
  [1200, "It tells of 1,200 issues."],
])("says that a test told of %d", (issues, said) => expect(testedWords({ issues })).toContain(said));

it("reads names between commas, with their spaces", () =>
  expect(namesOf(" Web team,, ann ,Web team")).toEqual(["Web team", "ann"]));

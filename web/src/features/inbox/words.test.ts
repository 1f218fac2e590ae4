import { expect, it } from "vitest";
import type { InboxItem } from "../../api/types";
import { inboxSearch } from "./search";
import { whatWords, whyWords } from "./words";

const item = (part: Partial<InboxItem>) => ({ actor: "ann", why: "activity", ...part }) as InboxItem;

it.each([
  [{ what: "opened", actor: "run" }, "A run found it"],
  [{ what: "overdue", actor: "run", to: "2026-05-03" }, "Overdue since 3 May 2026"],
  [{ what: "comment", text: "We wait." }, "ann: We wait."],
  [{ what: "assignee", to: "ada@example.com", why: "assignee" }, "ann assigned it to you"],
  [{ what: "assignee", to: "bob", why: "owner" }, "ann assigned bob"],
  [{ what: "assignee", from: "bob" }, "ann took the assignee bob away"],
  [{ what: "owner", to: "Ada", why: "owner" }, "ann made you the owner"],
  [{ what: "owner", to: "Web team", why: "team" }, "ann made Web team the owner"],
  [{ what: "state", actor: "run", to: "resolved" }, "A run found nothing of it any more: Resolved"],
  [{ what: "due", to: "2026-05-03" }, "ann set it due on 2026-05-03"],
  [{ what: "ticket", to: "SEC-1" }, "ann made or linked the ticket SEC-1"],
] as [Partial<InboxItem>, string][])("%j", (part, words) => expect(whatWords(item(part))).toBe(words));

it("shows strangers' words as they are", () =>
  expect(whatWords(item({ what: "comment", actor: "\u202Enna", text: "pay\u200Bpal" }))).toBe(
    "[U+202E]nna: pay[U+200B]pal",
  ));

it.each([
  ["assignee", "Assigned to you"],
  ["owner", "You own it"],
  ["team", "Your team Web owns it"],
  ["activity", "You worked on it"],
] as const)("says why it is there: %s", (why, words) => expect(whyWords(item({ why, owner: "Web" }))).toBe(words));

it("knows one filter", () =>
  expect([inboxSearch({ unread: "yes" }), inboxSearch({ unread: "1" })]).toEqual([
    { unread: "yes" },
    { unread: undefined },
  ]));

import type { InboxItem } from "../../api/types";
import { visible } from "../../lib/visible";
import { actorWord, happened } from "../issues/words";

/** What happened to an issue last, in a sentence to the reader whom it concerns. */
export function whatWords(item: InboxItem): string {
  const who = actorWord(item.actor);
  const { what, why, to = "", text = "" } = item;
  if (what === "opened") return `${who} found it`;
  if (what === "overdue") return `Overdue since ${dayWords(to)}`;
  if (what === "comment") return `${who}: ${visible(text)}`;
  if (what === "assignee" && why === "assignee" && to) return `${who} assigned it to you`;
  if (what === "owner" && why === "owner" && to) return `${who} made you the owner`;
  return `${who} ${visible(happened({ ...item, kind: what }))}`;
}

/** Why an issue is in the inbox. */
export function whyWords({ why, owner = "" }: InboxItem): string {
  switch (why) {
    case "assignee":
      return "Assigned to you";
    case "owner":
      return "You own it";
    case "team":
      return `Your team ${visible(owner)} owns it`;
    default:
      return "You worked on it";
  }
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

/** A day that is due is the same wherever the reader is. */
function dayWords(date: string): string {
  const at = new Date(date);
  return Number.isNaN(at.getTime()) ? visible(date) : day.format(at);
}

import type { IssueEvent } from "../../api/types";
import { visible } from "../../lib/visible";

const EFFORT_WORDS: Record<string, string> = {
  "one-click": "Plan to review",
  settings: "Settings to copy",
  work: "Work by hand",
};

const STATE_WORDS: Record<string, string> = {
  open: "Open",
  acknowledged: "Acknowledged",
  in_progress: "In progress",
  accepted: "Risk accepted",
  resolved: "Resolved",
};

/** How far an issue is; a state this build does not know is shown by its own word. */
export function stateWord(state: string): string {
  return STATE_WORDS[state] ?? state;
}

/** Whether something is left to do. */
export function waits(state: string): boolean {
  return state !== "accepted" && state !== "resolved";
}

/** What closing an issue takes; an effort this build does not know is shown by its own word. */
export function effortWord(effort: string): string {
  return EFFORT_WORDS[effort] ?? effort;
}

/** Who did something to an issue, at the beginning of a sentence. */
export const actorWord = (actor: string): string => (actor === "run" ? "A run" : visible(actor));

/** What somebody did to an issue, after who did it. */
export function happened({ kind, from, to, actor }: Omit<Partial<IssueEvent>, "kind"> & { kind: string }): string {
  switch (kind) {
    case "comment":
      return "said";
    case "state":
      if (actor === "run") return to === "resolved" ? "found nothing of it any more: Resolved" : "found it again: Open";
      return `set the state to ${stateWord(to ?? "")}`;
    case "owner":
      return to ? `made ${to} the owner` : `took the owner ${from} away`;
    case "assignee":
      return to ? `assigned ${to}` : `took the assignee ${from} away`;
    case "due":
      return to ? `set it due on ${to}` : `took the day ${from} away`;
    case "ticket":
      return actor === "run" ? `asked for the ticket ${to}` : `made or linked the ticket ${to}`;
    default:
      return `changed ${kind}`;
  }
}

import { Link } from "@tanstack/react-router";
import type { Issue } from "../../api/types";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import type { Column } from "../../ui/column";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { When } from "../../ui/When";
import { Due } from "./Due";
import { FixLink } from "./FixLink";
import styles from "./Issues.module.css";
import { effortWord, stateWord } from "./words";

/** The columns of a list of issues of a run. */
export function issueColumns(params: { a: string; r: string }): Column<Issue>[] {
  return [
    {
      id: "rank",
      name: "Rank",
      quiet: true,
      fixed: "first",
      cell: ({ rank }) => `${integer(rank)}.`,
      className: styles.rank,
    },
    {
      id: "severity",
      name: "Severity",
      cell: ({ severity }) => <SeverityBadge severity={severity} />,
      sorts: { desc: "severity" },
    },
    {
      id: "what",
      name: "Issue",
      fixed: "anywhere",
      cell: ({ checkId, title, reason, state }) => (
        <>
          <Link to="/a/$a/r/$r/issues/$check" params={{ ...params, check: checkId }}>
            {visible(title)}
          </Link>
          <p>
            {visible(reason)}
            {state === "accepted" && " Risk accepted."}
          </p>
        </>
      ),
      sorts: { asc: "title" },
      className: styles.what,
    },
    { id: "state", name: "State", cell: ({ state }) => stateWord(state) },
    { id: "owner", name: "Owner", cell: ({ owner }) => visible(owner ?? ""), className: styles.owner },
    {
      id: "assignee",
      name: "Assignee",
      shown: false,
      cell: ({ assignee }) => visible(assignee ?? ""),
      className: styles.owner,
    },
    {
      id: "due",
      name: "Due",
      shown: false,
      cell: Due,
      sorts: { asc: "due" },
    },
    {
      id: "resources",
      name: "Resources",
      cell: ({ checkId, resources }) => (
        <Link to="/a/$a/r/$r/issues/$check" params={{ ...params, check: checkId }}>
          {integer(resources)}
        </Link>
      ),
      label: ({ resources }) => (resources === 1 ? "resource" : "resources"),
      sorts: { desc: "resources" },
      className: styles.number,
    },
    {
      id: "zones",
      name: "Zones",
      shown: false,
      cell: ({ zones }) => integer(zones),
      label: ({ zones }) => (zones === 1 ? "zone" : "zones"),
      className: styles.number,
    },
    {
      id: "paths",
      name: "Paths",
      cell: ({ checkId, paths }) =>
        paths === 0 ? (
          "none"
        ) : (
          <Link to="/a/$a/r/$r/paths" params={params} search={{ q: checkId }}>
            {integer(paths)}
          </Link>
        ),
      label: ({ paths }) => (paths === 1 ? "path" : "paths"),
      sorts: { desc: "paths" },
      className: styles.number,
    },
    { id: "category", name: "Category", shown: false, cell: ({ category }) => category },
    { id: "effort", name: "Effort", shown: false, cell: ({ effort }) => effortWord(effort) },
    {
      id: "seen",
      name: "First seen",
      shown: false,
      cell: ({ firstSeen }) => <When at={firstSeen} />,
      sorts: { desc: "newest", asc: "oldest" },
    },
    {
      id: "fix",
      name: "Fix",
      quiet: true,
      fixed: "last",
      cell: (issue) => <FixLink issue={issue} {...params} />,
      className: styles.fix,
    },
  ];
}

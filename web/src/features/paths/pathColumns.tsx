import { Link } from "@tanstack/react-router";
import type { AttackPath } from "../../api/types";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import type { Column } from "../../ui/column";
import table from "../../ui/DataTable.module.css";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { kindWord, type NodeOf } from "./words";

/** Every path starts at the internet; what it comes to first is what differs. */
export const entryOf = ({ nodes, entryNodeId }: AttackPath) => nodes[1] ?? entryNodeId;

/** The columns of a list of the attack paths of a run. */
export function pathColumns(params: { a: string; r: string }, node: NodeOf): Column<AttackPath>[] {
  return [
    { id: "severity", name: "Severity", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
    {
      id: "path",
      name: "Attack path",
      fixed: "anywhere",
      cell: ({ id, title }) => (
        <Link to="/a/$a/r/$r/paths/$p" params={{ ...params, p: id }}>
          {visible(title)}
        </Link>
      ),
      sorts: { asc: "title" },
      className: table.text,
    },
    { id: "kind", name: "Kind", shown: false, cell: ({ kind }) => kindWord(kind) },
    { id: "hops", name: "Hops", cell: ({ hopCount }) => integer(hopCount), sorts: { asc: "hops" } },
    { id: "entry", name: "Entry", cell: (path) => visible(node(entryOf(path)).label), className: table.text },
    {
      id: "target",
      name: "Target",
      cell: ({ targetNodeId }) => visible(node(targetNodeId).label),
      className: table.text,
    },
    {
      id: "fixes",
      name: "Fixes",
      cell: ({ breaks }) => (
        <>
          {integer(breaks.length)}
          {breaks.some(({ remediable }) => remediable) && <span className={table.tag}>plan to review</span>}
        </>
      ),
    },
  ];
}

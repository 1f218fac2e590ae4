import { Link } from "@tanstack/react-router";
import type { Alike, AttackPath } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import type { Column } from "../../ui/column";
import table from "../../ui/DataTable.module.css";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Tag } from "../../ui/Tag";
import { brokenBy } from "./search";
import { kindWord, type NodeOf } from "./words";

/** Every path starts at the internet; what it comes to first is what differs. */
export const entryOf = ({ nodes, entryNodeId }: AttackPath) => nodes[1] ?? entryNodeId;

/** The columns of a list of the attack paths of a run; a path may stand for others. */
export function pathColumns(
  params: { a: string; r: string },
  node: NodeOf,
  alike: ReadonlyMap<string, Alike>,
): Column<AttackPath>[] {
  return [
    { id: "severity", name: "Severity", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
    {
      id: "path",
      name: "Attack path",
      fixed: "anywhere",
      cell: (path) => (
        <>
          <Link to="/a/$a/r/$r/paths/$p" params={{ ...params, p: path.id }}>
            {visible(path.title)}
          </Link>
          <Others path={path} params={params} alike={alike.get(path.id)} />
        </>
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
          {breaks.some(({ remediable }) => remediable) && <Tag>plan to review</Tag>}
        </>
      ),
    },
  ];
}

interface OthersProps {
  path: AttackPath;
  params: { a: string; r: string };
  alike: Alike | undefined;
}

/** How many paths end with the same change, and the way to them. */
function Others({ path: { kind, severity }, params, alike }: OthersProps) {
  if (alike === undefined) return null;
  return (
    <div className="muted">
      <Link
        to="/a/$a/r/$r/paths"
        params={params}
        search={(before) => ({ ...before, ...brokenBy(alike), kind, severity })}
      >
        and {plural(alike.others, "other")}
      </Link>
      {", all broken by one change: "}
      {visible(alike.change)}
    </div>
  );
}

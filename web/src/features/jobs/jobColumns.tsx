import { Link } from "@tanstack/react-router";
import type { Job } from "../../api/types";
import { integer } from "../../lib/number";
import { duration } from "../../lib/time";
import { visible } from "../../lib/visible";
import type { Column } from "../../ui/column";
import table from "../../ui/DataTable.module.css";
import { Tag } from "../../ui/Tag";
import { When } from "../../ui/When";
import { kindWord } from "./search";

/** The columns of a list of jobs. */
export function jobColumns(accountName: (id: string) => string): Column<Job>[] {
  return [
    {
      id: "job",
      name: "Job",
      fixed: "anywhere",
      cell: ({ id, kind, scheduleId }) => (
        <>
          <Link to="/jobs/$id" params={{ id }}>
            {kindWord(kind)}
          </Link>
          {scheduleId && <Tag>scheduled</Tag>}
        </>
      ),
    },
    { id: "state", name: "State", cell: ({ state }) => state },
    {
      id: "account",
      name: "Account",
      cell: ({ account }) => account && visible(accountName(account)),
      className: table.text,
    },
    { id: "queued", name: "Queued", cell: ({ createdAt }) => <When at={createdAt} /> },
    { id: "started", name: "Started", shown: false, cell: ({ startedAt }) => startedAt && <When at={startedAt} /> },
    {
      id: "took",
      name: "Took",
      cell: ({ startedAt, finishedAt }) =>
        startedAt && finishedAt && duration(Date.parse(finishedAt) - Date.parse(startedAt)),
    },
    { id: "attempt", name: "Attempt", cell: ({ attempt }) => integer(attempt) },
    { id: "why", name: "Why", cell: ({ error }) => visible(error?.detail ?? ""), className: table.text },
  ];
}

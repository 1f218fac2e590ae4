import type { AuditEntry } from "../../api/types";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import { At } from "../../ui/At";
import type { Column } from "../../ui/column";
import table from "../../ui/DataTable.module.css";

/** The columns of the audit log. */
export const AUDIT_COLUMNS: Column<AuditEntry>[] = [
  { id: "number", name: "No.", cell: ({ seq }) => integer(seq) },
  { id: "when", name: "When", cell: ({ at }) => <At at={at} /> },
  {
    id: "who",
    name: "Who",
    cell: ({ actor, address }) => (
      <>
        {visible(actor)} <span className="muted">{visible(address ?? "")}</span>
      </>
    ),
    className: table.text,
  },
  { id: "action", name: "Action", fixed: "anywhere", cell: ({ action }) => action },
  {
    id: "what",
    name: "What",
    cell: ({ target, detail }) => (
      <>
        {visible(`${target.type} ${target.id}`.trim())} <span className="muted">{visible(detail ?? "")}</span>
      </>
    ),
    className: table.text,
  },
  {
    id: "outcome",
    name: "Outcome",
    cell: ({ outcome, code }) => (code ? `${outcome} (${code.replaceAll("_", " ")})` : outcome),
  },
  { id: "times", name: "Times", cell: ({ count }) => integer(count) },
  { id: "hash", name: "Hash", shown: false, cell: ({ hash }) => <code>{hash}</code>, className: table.text },
];

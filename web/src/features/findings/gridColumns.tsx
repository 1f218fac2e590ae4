import type { ReactNode } from "react";
import type { Finding } from "../../api/types";
import { visible } from "../../lib/visible";
import type { Column } from "../../ui/column";
import { ResultMark } from "../../ui/ResultMark";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { When } from "../../ui/When";
import styles from "./Grid.module.css";

interface Told {
  /** What is special about a row, in a word each. */
  marks: (finding: Finding) => string[];
  /** Where a row leads to. */
  link: (finding: Finding) => ReactNode;
  /** The name of the account of a row, in lists of several accounts. */
  account?: (finding: Finding) => string;
}

const named = (name: string) => <span title={visible(name)}>{visible(name)}</span>;

/** The columns of a list of findings. */
export function gridColumns({ marks, link, account }: Told): Column<Finding>[] {
  return [
    {
      id: "severity",
      name: "Severity",
      cell: ({ severity }) => <SeverityBadge severity={severity} />,
      className: styles.severity,
      width: "5.5rem",
    },
    {
      id: "result",
      name: "Result",
      cell: ({ result }) => <ResultMark result={result} />,
      className: styles.result,
      width: "7.25rem",
    },
    { id: "check", name: "Check", cell: link, sorts: { asc: "check" }, className: styles.check, width: "8rem" },
    {
      id: "resource",
      name: "Resource",
      cell: ({ resource }) => named(resource.name),
      sorts: { asc: "resource" },
      className: styles.resource,
      width: "minmax(0, 1.3fr)",
    },
    {
      id: "zone",
      name: "Zone",
      cell: ({ resource }) => named(resource.zone ?? ""),
      sorts: { asc: "zone" },
      className: styles.zone,
      width: "minmax(0, 0.9fr)",
    },
    ...(account
      ? [
          {
            id: "account",
            name: "Account",
            cell: (finding: Finding) => named(account(finding)),
            sorts: { asc: "account" },
            className: styles.account,
            width: "minmax(0, 0.9fr)",
          },
        ]
      : []),
    {
      id: "message",
      name: "Message",
      cell: (finding) => (
        <span title={visible(finding.message)}>
          {marks(finding).map((mark) => (
            <strong key={mark}>{mark}: </strong>
          ))}
          {visible(finding.message)}
        </span>
      ),
      fixed: "anywhere",
      className: styles.message,
      width: "minmax(0, 2.6fr)",
    },
    {
      id: "category",
      name: "Category",
      cell: ({ category }) => category,
      shown: false,
      className: styles.zone,
      width: "6rem",
    },
    {
      id: "state",
      name: "State",
      cell: ({ status }) => status,
      shown: false,
      className: styles.zone,
      width: "5.25rem",
    },
    {
      id: "seen",
      name: "First seen",
      cell: ({ firstSeen }) => <When at={firstSeen} />,
      shown: false,
      sorts: { desc: "newest", asc: "oldest" },
      className: styles.zone,
      width: "6.5rem",
    },
  ];
}

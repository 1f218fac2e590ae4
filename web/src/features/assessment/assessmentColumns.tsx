import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { integer, percent } from "../../lib/number";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { duration } from "../../lib/time";
import { visible } from "../../lib/visible";
import type { Column } from "../../ui/column";
import styles from "../../ui/DataTable.module.css";
import { SeverityShape } from "../../ui/Shape";
import { Tag } from "../../ui/Tag";
import { When } from "../../ui/When";
import { gradeNote } from "./grade";

/** The columns of a list of assessments. */
export const ASSESSMENT_COLUMNS: Column<AssessmentSummary>[] = [
  {
    id: "completed",
    name: "Completed",
    fixed: "anywhere",
    cell: ({ id, account, completedAt }) => (
      <Link to="/a/$a/r/$r/findings" params={{ a: account.id, r: id }}>
        <When at={completedAt} />
      </Link>
    ),
  },
  {
    id: "account",
    name: "Account",
    cell: ({ account, demo }) => (
      <>
        {visible(account.name || account.id)}
        {demo && <Tag>demo</Tag>}
      </>
    ),
    className: styles.text,
  },
  {
    id: "score",
    name: "Score",
    cell: ({ score }) => (
      <>
        {integer(score.value)} {score.grade ?? <span className="muted">no grade</span>}
        {gradeNote(score) && <div className="muted">{gradeNote(score)}</div>}
      </>
    ),
    className: styles.words,
  },
  { id: "coverage", name: "Coverage", cell: ({ coverage }) => percent(coverage.percent) },
  {
    id: "open",
    name: "Open by severity",
    cell: ({ summary }) => (
      <ul className={styles.counts}>
        {SEVERITIES.map((severity) => (
          <li key={severity} title={severityWord(severity)}>
            <SeverityShape severity={severity} />
            <span className="visually-hidden">{severityWord(severity)} </span>
            {integer(summary.bySeverity[severity] ?? 0)}
          </li>
        ))}
      </ul>
    ),
  },
  { id: "paths", name: "Attack paths", shown: false, cell: ({ attackPaths }) => integer(attackPaths) },
  { id: "unknown", name: "Not assessed", cell: ({ summary }) => integer(summary.unknown) },
  { id: "took", name: "Took", cell: ({ durationMs }) => duration(durationMs) },
  { id: "profile", name: "Profile", shown: false, cell: ({ profile }) => profile },
  { id: "note", name: "Note", cell: ({ note }) => visible(note ?? ""), className: styles.text },
];

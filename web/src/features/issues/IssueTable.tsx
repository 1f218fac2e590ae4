import type { AssessmentSummary, Issue } from "../../api/types";
import { shownColumns } from "../../ui/column";
import styles from "./Issues.module.css";
import { issueColumns } from "./issueColumns";

interface Props {
  assessment: Pick<AssessmentSummary, "id" | "account">;
  issues: readonly Issue[];
}

/** A few issues as they are ranked, each with why it stands there and the way to its fix. */
export function IssueTable({ assessment, issues }: Props) {
  const columns = shownColumns(
    issueColumns({ a: assessment.account.id, r: assessment.id }).filter(({ id }) => id !== "state" && id !== "owner"),
    undefined,
  );
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">Issues</caption>
      <thead>
        <tr>
          {columns.map(({ id, name, quiet, className }) => (
            <th key={id} scope="col" className={className}>
              {quiet ? <span className="visually-hidden">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {issues.map((issue) => (
          <tr key={issue.id}>
            {columns.map(({ id, cell, className, label }) => (
              <td key={id} className={className} data-label={label?.(issue)}>
                {cell(issue)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import table from "../../ui/DataTable.module.css";
import { Due } from "../issues/Due";
import { issueOf } from "../issues/queries";
import { stateWord } from "../issues/words";
import { Part } from "./FindingDetail";
import styles from "./FindingDrawer.module.css";

/** The issue a finding belongs to: who answers for it and by when, which people decide for all it hits. */
export function FindingIssue({ assessmentId, account, check }: Record<"assessmentId" | "account" | "check", string>) {
  const { data: issue } = useQuery(issueOf(assessmentId, check));
  return (
    <Part title="Issue">
      {issue && (
        <dl className={styles.facts}>
          <dt>State</dt>
          <dd>{stateWord(issue.state)}</dd>
          <dt>Owner</dt>
          <dd>{issue.owner ? visible(issue.owner) : <span className="muted">nobody yet</span>}</dd>
          {issue.assignee && (
            <>
              <dt>Assignee</dt>
              <dd>{visible(issue.assignee)}</dd>
            </>
          )}
          {issue.due && (
            <>
              <dt>Due</dt>
              <dd>
                <Due due={issue.due} overdue={issue.overdue} />
              </dd>
            </>
          )}
          {issue.tickets > 0 && (
            <>
              <dt>Tickets</dt>
              <dd>{integer(issue.tickets)}</dd>
            </>
          )}
        </dl>
      )}
      <Link to="/a/$a/r/$r/issues/$check" params={{ a: account, r: assessmentId, check }} className={table.pick}>
        Everything that {check} found
      </Link>
    </Part>
  );
}

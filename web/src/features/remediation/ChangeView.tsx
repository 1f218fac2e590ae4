import type { ReactNode } from "react";
import type { Change } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Tag } from "../../ui/Tag";
import { CopyAs } from "./CopyAs";
import { diffOf } from "./plan";
import styles from "./RemediationPage.module.css";

interface Props {
  change: Change;
  control?: ReactNode;
  /** The run that has the finding, for the ways to make the change elsewhere. */
  assessmentId?: string;
}

/** One change: what, on what, how risky, and each value before and after. */
export function ChangeView({ change, control, assessmentId }: Props) {
  const lines = diffOf(change.before, change.after);
  const Line = control === undefined ? "div" : "label";
  return (
    <li className={styles.change}>
      <Line className={styles.line}>
        {control}
        <SeverityBadge severity={change.severity} />
        <strong>{change.title}</strong>
        <span className={styles.name}>{visible(change.resource.name)}</span>
        {change.object && <code>{visible(change.object)}</code>}
        <Tag>{change.risk} risk</Tag>
        <Tag>{change.reversible ? "can be undone" : "cannot be undone"}</Tag>
        {change.removesPathIds.length > 0 && <Tag>breaks {plural(change.removesPathIds.length, "attack path")}</Tag>}
      </Line>
      <div className={styles.diff}>
        <table>
          <caption className="visually-hidden">Values before and after</caption>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <tr key={line.path}>
                <td>
                  <code>{visible(line.path || "value")}</code>
                </td>
                <td>
                  {line.before === undefined ? (
                    <span className="muted">absent</span>
                  ) : (
                    <del className={styles.gone}>
                      <code>{visible(line.before)}</code>
                    </del>
                  )}
                </td>
                <td>
                  {line.after === undefined ? (
                    <span className="muted">{change.after === null ? "deleted" : "absent"}</span>
                  ) : (
                    <ins>
                      <code>{visible(line.after)}</code>
                    </ins>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.body}>
        <code>{change.checkId}</code> · <code>{visible(change.operation)}</code>
      </p>
      {change.caution && <p className={styles.body}>Caution: {change.caution}</p>}
      {change.rationale && <p className={styles.body}>Planner: {visible(change.rationale)}</p>}
      {assessmentId !== undefined && <CopyAs assessmentId={assessmentId} item={change} />}
    </li>
  );
}

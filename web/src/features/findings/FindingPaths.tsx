import { Link } from "@tanstack/react-router";
import type { FindingDetail } from "../../api/types";
import { visible } from "../../lib/visible";
import table from "../../ui/DataTable.module.css";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Part } from "./FindingDetail";
import styles from "./FindingDrawer.module.css";

/** The attack paths a finding is part of, in the last run that holds it. */
export function FindingPaths({ now, account }: { now: FindingDetail; account: string }) {
  return (
    <Part title="Attack paths">
      {now.attackPaths.length === 0 ? (
        <p className="muted">
          {now.status === "resolved"
            ? "The finding is resolved, so no attack path uses it."
            : "No attack path uses this finding."}
        </p>
      ) : (
        <ul>
          {now.attackPaths.map((path) => (
            <li key={path.id} className={styles.actions}>
              <SeverityBadge severity={path.severity} />
              <Link
                to="/a/$a/r/$r/paths/$p"
                params={{ a: account, r: now.assessmentId, p: path.id }}
                className={table.pick}
              >
                {visible(path.title)}
              </Link>
              {path.severity !== now.severity && path.severityReason && (
                <p className={`muted ${styles.whole}`}>{visible(path.severityReason)}</p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

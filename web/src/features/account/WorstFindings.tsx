import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, bodyOf } from "../../api/client";
import type { AssessmentSummary } from "../../api/types";
import { visible } from "../../lib/visible";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Panel } from "../../ui/Panel";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Skeleton } from "../../ui/Skeleton";
import styles from "./Table.module.css";

const SHOWN = 10;

export function WorstFindings({ assessmentId, summary }: { assessmentId: string; summary: AssessmentSummary }) {
  const worst = useQuery({
    queryKey: ["findings", assessmentId, "worst"],
    queryFn: ({ signal }) => {
      const params = { path: { id: assessmentId }, query: { result: "FAIL,WARNING", limit: SHOWN } };
      return bodyOf(api.GET("/api/assessments/{id}/findings", { params, signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const all = (
    <Link to="/a/$a/r/$r/findings" params={{ a: summary.account.id, r: assessmentId }}>
      All findings of this run
    </Link>
  );
  return (
    <Panel title="Worst first" aside={all}>
      {worst.isPending && <Skeleton label="Loading the worst findings" rows={SHOWN} />}
      {worst.isError && (
        <ErrorPanel error={worst.error} what="The findings could not be loaded." onRetry={() => worst.refetch()} />
      )}
      {worst.data?.items.length === 0 && (
        <Empty title="No check failed">
          {summary.summary.unknown > 0
            ? "What could be judged passed; the rest was not assessed."
            : "Every check that was judged passed."}
        </Empty>
      )}
      {worst.data && worst.data.items.length > 0 && (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Severity</th>
              <th scope="col">Finding</th>
              <th scope="col" className={styles.wide}>
                Where
              </th>
            </tr>
          </thead>
          <tbody>
            {worst.data.items.map((finding) => (
              <tr key={finding.id}>
                <td>
                  <SeverityBadge severity={finding.severity} />
                </td>
                <td className={styles.cut}>
                  <Link
                    to="/a/$a/r/$r/findings"
                    params={{ a: summary.account.id, r: assessmentId }}
                    search={{ finding: finding.id }}
                    title={visible(finding.message)}
                  >
                    {visible(finding.message)}
                  </Link>
                </td>
                <td className={`${styles.cut} ${styles.wide} ${styles.muted}`} title={visible(finding.resource.name)}>
                  {visible(finding.resource.zone || finding.resource.name)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

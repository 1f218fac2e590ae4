import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AssessmentSummary, TrendPoint } from "../../api/types";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { trendQuery } from "./queries";

interface Props {
  title: string;
  /** The last run that is shown. */
  summary: AssessmentSummary;
  children: (points: TrendPoint[]) => ReactNode;
}

/** A panel about the runs of an account, which takes two of them. */
export function Trend({ title, summary, children }: Props) {
  const account = summary.account.id;
  const trend = useQuery(trendQuery(account, summary));
  const points = trend.data ?? [];
  return (
    <Panel
      title={title}
      aside={
        <Link to="/a/$a/runs" params={{ a: account }}>
          All runs
        </Link>
      }
    >
      <QueryStatus query={trend} of="runs" tall rows={1} />
      {trend.isSuccess && points.length < 2 && <p className="muted">The trend appears after the second assessment.</p>}
      {points.length > 1 && children(points)}
    </Panel>
  );
}

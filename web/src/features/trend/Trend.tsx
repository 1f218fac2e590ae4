import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AssessmentSummary, TrendPoint } from "../../api/types";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Panel } from "../../ui/Panel";
import { Skeleton } from "../../ui/Skeleton";
import table from "../account/Table.module.css";
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
      {trend.isPending && <Skeleton label="Loading the runs" tall rows={1} />}
      {trend.isError && (
        <ErrorPanel error={trend.error} what="The runs could not be loaded." onRetry={() => trend.refetch()} />
      )}
      {trend.isSuccess && points.length < 2 && (
        <p className={table.muted}>The trend appears after the second assessment.</p>
      )}
      {points.length > 1 && children(points)}
    </Panel>
  );
}

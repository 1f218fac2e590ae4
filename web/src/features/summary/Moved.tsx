import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Assessment, TrendPoint } from "../../api/types";
import { severityRank } from "../../lib/severity";
import { visible } from "../../lib/visible";
import { Panel } from "../../ui/Panel";
import { QueryError } from "../../ui/QueryStatus";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Skeleton } from "../../ui/Skeleton";
import { DriftCounts } from "../account/Changes";
import { driftQuery } from "../drift/queries";
import { runNear, trendQuery } from "../trend/queries";
import styles from "./Summary.module.css";

const WEEK = 7;
const NAMED = 3;

/** What is new, regressed and resolved since the run before, and since a week ago. */
export function Moved({ assessment }: { assessment: Assessment }) {
  const { account, id } = assessment;
  const trend = useQuery(trendQuery(account.id, assessment));
  const week = useQuery(runNear(account.id, assessment, WEEK));
  const current = trend.data?.find(({ assessmentId }) => assessmentId === id);
  const before = trend.data?.filter(({ assessmentId, partial }) => assessmentId !== id && !partial).at(-1);
  const failed = trend.isError ? trend : week.isError ? week : undefined;
  const same = before !== undefined && week.data?.assessmentId === before.assessmentId;
  return (
    <>
      {(trend.isPending || week.isPending) && <Skeleton label="Looking for the runs before" rows={3} />}
      {failed && <QueryError query={failed} what="The runs before could not be loaded." />}
      {trend.isSuccess && week.isSuccess && (!before || !current) && (
        <Panel title="What changed">
          <p className="muted">There is no earlier run of the whole account to compare with.</p>
        </Panel>
      )}
      {before && current && week.isSuccess && (
        <div className={styles.pair}>
          <Since
            title={
              same
                ? "What changed since the run before, which is that of last week"
                : "What changed since the run before"
            }
            before={before}
            current={current}
            account={account.id}
          />
          {!week.data && (
            <Panel title="What changed since last week">
              <p className="muted">No run of the whole account is about a week older.</p>
            </Panel>
          )}
          {week.data && !same && (
            <Since title="What changed since last week" before={week.data} current={current} account={account.id} />
          )}
        </div>
      )}
    </>
  );
}

interface SinceProps {
  title: string;
  account: string;
  before: TrendPoint;
  current: TrendPoint;
}

function Since({ title, account, before, current }: SinceProps) {
  const search = { from: before.assessmentId, to: current.assessmentId };
  const { data } = useQuery(driftQuery(before.assessmentId, current.assessmentId));
  const worst = [...(data?.new ?? []), ...(data?.regressed ?? [])].sort(
    (x, y) => severityRank(x.severity) - severityRank(y.severity),
  );
  return (
    <Panel
      title={title}
      aside={
        <Link to="/a/$a/drift" params={{ a: account }} search={search}>
          All changes
        </Link>
      }
    >
      <DriftCounts account={account} newest={current.assessmentId} pair={{ before, current }} />
      {worst.length > 0 && (
        <ul className={styles.list} aria-label="The worst of what is new or regressed">
          {worst.slice(0, NAMED).map(({ id, severity, title, message }) => (
            <li key={id}>
              <SeverityBadge severity={severity} />{" "}
              <Link to="/a/$a/r/$r/findings/$id" params={{ a: account, r: current.assessmentId, id }}>
                {visible(message || title)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import type { AssessmentSummary } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { duration } from "../../lib/time";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Empty } from "../../ui/Empty";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { GapsBanner } from "../assessment/GapsBanner";
import { newestAssessments } from "../assessment/queries";
import { activeJobs } from "../runs/queries";
import { RunPanel } from "../runs/RunPanel";
import { FindingsTrend } from "../trend/FindingsTrend";
import { ScoreTrend } from "../trend/ScoreTrend";
import styles from "./AccountPage.module.css";
import { CategoryTable } from "./CategoryTable";
import { Changes } from "./Changes";
import { DemoBanner } from "./DemoBanner";
import { Facts } from "./Facts";
import { FirstIssues } from "./FirstIssues";
import { FirstSteps } from "./FirstSteps";
import { Lifts } from "./Lifts";
import { accountOf, accountsQuery } from "./queries";
import { ScorePanel } from "./ScorePanel";
import { SeverityPanel } from "./SeverityPanel";
import { SoFar } from "./SoFar";
import { TopPaths } from "./TopPaths";
import { ZoneTable } from "./ZoneTable";

const route = getRouteApi("/a/$a/");

export function AccountPage() {
  const { a } = route.useParams();
  const accounts = useKeptError(useQuery(accountsQuery));
  const latest = useKeptError(useQuery(newestAssessments(a)));
  const active = useKeptError(useQuery(activeJobs));
  // What runs stands above what was found, which would move.
  const waits = latest.isPending || accounts.isPending || active.isPending;
  const account = accountOf(accounts.data, a);
  const [summary] = (!waits && latest.data) || [];
  const name = visible(summary?.account.name || account?.name || a);
  const jobs = active.data?.filter((job) => job.account === account?.id) ?? [];
  const running = jobs.length;
  return (
    <>
      <title>{titleOf(name, summary, running)}</title>
      <PageHead
        title="Overview"
        actions={
          summary && (
            <Link to="/a/$a/r/$r/summary" params={{ a: summary.account.id, r: "latest" }}>
              Executive summary
            </Link>
          )
        }
      >
        {summary && (
          <>
            assessed <When at={summary.completedAt} /> in {duration(summary.durationMs)}
            {summary.profile !== "full" && `, ${summary.profile} profile`}
            {summary.note && `. Note: ${visible(summary.note)}`}
          </>
        )}
      </PageHead>
      {summary?.demo && <DemoBanner />}
      {accounts.isSuccess && !account && summary && (
        <Banner title="This account is not registered:">
          its token was sent for one run and forgotten, or the account was deleted here.{" "}
          <Link to="/">Registered accounts</Link>
        </Banner>
      )}
      {!waits && account && <RunPanel account={account.id} newestResult={summary?.completedAt} />}
      <QueryError
        query={latest}
        what={summary ? "The latest assessment could not be refreshed." : "The latest assessment could not be loaded."}
      />
      {/* Where nothing at all was loaded, one of both says so. */}
      {!waits && latest.isSuccess && !account && (
        <QueryError query={accounts} what="The account could not be loaded, so nothing can be run here." />
      )}
      {waits && <Skeleton label="Loading the latest assessment" rows={3} tall />}
      {!waits && latest.isSuccess && !summary && accounts.isSuccess && !account && (
        <Empty title={`There is no account ${name}`} action={<Link to="/">Registered accounts</Link>}>
          No account of this name is registered, and none was assessed.
        </Empty>
      )}
      {!waits && latest.isSuccess && !summary && account && (
        <>
          {jobs[0] && <SoFar job={jobs[0].id} />}
          <FirstSteps
            title={running > 0 ? "The first assessment is running" : "No assessment yet"}
            account={account}
            run={running > 0 ? "running" : "none"}
            here
          />
        </>
      )}
      {summary && <Result summary={summary} />}
    </>
  );
}

/** The title is all that is seen of a page in another tab: whether it runs, and how bad it is. */
function titleOf(name: string, summary: AssessmentSummary | undefined, running: number): string {
  const critical = summary?.summary.bySeverity.critical ?? 0;
  return `${running > 0 ? "Running: " : ""}${critical > 0 ? `(${critical} crit) ` : ""}${name} · Edgeposture`;
}

function Result({ summary }: { summary: AssessmentSummary }) {
  // What needs more answers, or scrolling, does not hold up the first picture.
  const rest = useDeferredValue<AssessmentSummary | null>(summary, null);
  return (
    <>
      <GapsBanner summary={summary} />
      <div className={styles.top}>
        <ScorePanel summary={summary} />
        <SeverityPanel summary={summary} />
        <Facts summary={summary} />
      </div>
      {rest && (
        <>
          <FirstIssues summary={rest} />
          <div className={form.grid}>
            <ScoreTrend summary={rest} />
            <FindingsTrend summary={rest} />
          </div>
          <div className={form.grid}>
            <Changes summary={rest} />
            <TopPaths summary={rest} />
          </div>
          <div className={styles.bottom}>
            <ZoneTable summary={rest} />
            <CategoryTable summary={rest} />
          </div>
          <Lifts summary={rest} />
          <p className={styles.foot}>
            Assessment <code>{rest.id}</code>, catalogue {rest.catalogueVersion}.{" "}
            <Link to="/a/$a/runs" params={{ a: rest.account.id }}>
              Past assessments
            </Link>
          </p>
        </>
      )}
    </>
  );
}

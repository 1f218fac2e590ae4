import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { plural } from "../../lib/number";
import { duration } from "../../lib/time";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { GapsBanner } from "../assessments/GapsBanner";
import { latestAssessment } from "../assessments/queries";
import { activeJobs } from "../runs/queries";
import { RunPanel } from "../runs/RunPanel";
import { CategoryTable } from "./CategoryTable";
import { Facts } from "./Facts";
import styles from "./OverviewPage.module.css";
import { ScorePanel } from "./ScorePanel";
import { SeverityPanel } from "./SeverityPanel";
import { WorstFindings } from "./WorstFindings";

export function OverviewPage() {
  const latest = useQuery(latestAssessment);
  const active = useQuery(activeJobs);
  const summary = latest.data;
  return (
    <>
      <title>{titleOf(summary, active.data?.length ?? 0)}</title>
      <header className={styles.head}>
        <h1>{summary ? visible(summary.account.name || summary.account.id) : "Overview"}</h1>
        {summary && (
          <p className={styles.sub}>
            assessed <When at={summary.completedAt} /> in {duration(summary.durationMs)},{" "}
            {plural(summary.zones.length, "zone")}, {plural(summary.requests, "request")}
            {summary.profile !== "full" && `, ${summary.profile} profile`}
            {summary.note && `. Note: ${visible(summary.note)}`}
          </p>
        )}
      </header>
      {summary?.demo && <DemoBanner />}
      <RunPanel newestResult={summary?.completedAt} />
      {latest.isError && (
        <ErrorPanel
          error={latest.error}
          what={
            summary ? "The latest assessment could not be refreshed." : "The latest assessment could not be loaded."
          }
          onRetry={() => latest.refetch()}
        />
      )}
      {latest.isPending && <Skeleton label="Loading the latest assessment" rows={3} tall />}
      {summary === null && !latest.isError && (
        <Empty title="No assessment yet">
          Nothing has been assessed so far. Run an assessment to read the account and judge its settings; reading
          changes nothing.
        </Empty>
      )}
      {summary && <Result summary={summary} />}
    </>
  );
}

/** The title is all that is seen of a page in another tab: whether it runs, and how bad it is. */
function titleOf(summary: AssessmentSummary | null | undefined, running: number): string {
  const state = running > 0 ? "Running: " : "";
  if (!summary) return `${state}Overview · Edgeposture`;
  const critical = summary.summary.bySeverity.critical ?? 0;
  return `${state}${critical > 0 ? `(${critical} crit) ` : ""}${visible(summary.account.name || summary.account.id)} · Edgeposture`;
}

function DemoBanner() {
  return (
    <Banner title="This is a built-in demo account:">
      a simulated Cloudflare that runs inside this service. Nothing here is about a real account. Set{" "}
      <code>CLOUDFLARE_API_TOKEN</code> and restart to assess your own.
    </Banner>
  );
}

function Result({ summary }: { summary: AssessmentSummary }) {
  return (
    <>
      <GapsBanner summary={summary} />
      <div className={styles.top}>
        <ScorePanel summary={summary} />
        <SeverityPanel summary={summary} />
        <Facts summary={summary} />
      </div>
      <div className={styles.bottom}>
        <WorstFindings assessmentId={summary.id} summary={summary} />
        <CategoryTable summary={summary} />
      </div>
      <p className={styles.foot}>
        Assessment <code>{summary.id}</code>, catalogue {summary.catalogueVersion}.{" "}
        <Link to="/assessments">Past assessments</Link>
      </p>
    </>
  );
}

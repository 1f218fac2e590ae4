import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ComponentProps, useState } from "react";
import { asProblem } from "../../api/errors";
import type { Assessment } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { GapsBanner } from "../assessments/GapsBanner";
import { assessmentQuery, latestAssessment } from "../assessments/queries";
import { Findings } from "./Findings";
import styles from "./FindingsPage.module.css";

const route = getRouteApi("/assessments/$id");

export function FindingsPage() {
  const { id } = route.useParams();
  return id === "latest" ? <LatestAssessment /> : <OneAssessment key={id} id={id} />;
}

/** Keeps to the assessment that was the latest when the page was opened: rows must not change while someone reads. */
function LatestAssessment() {
  const latest = useQuery(latestAssessment);
  const [pinned, setPinned] = useState<string>();
  const newest = latest.data?.id;
  if (pinned === undefined && newest !== undefined) setPinned(newest);

  if (latest.isPending) return <Waiting />;
  if (pinned === undefined) {
    if (latest.isError) {
      return (
        <Unloaded
          error={latest.error}
          what="The latest assessment could not be loaded."
          onRetry={() => latest.refetch()}
        />
      );
    }
    return (
      <>
        <h1>Findings</h1>
        <Empty title="No assessment yet" action={<Link to="/">Start the first run</Link>}>
          There is nothing to show findings of.
        </Empty>
      </>
    );
  }
  return (
    <>
      {newest !== undefined && newest !== pinned && (
        <Banner
          title="A newer assessment is there."
          actions={<Button onClick={() => setPinned(newest)}>Show it</Button>}
        />
      )}
      <OneAssessment key={pinned} id={pinned} />
    </>
  );
}

function OneAssessment({ id }: { id: string }) {
  const assessment = useQuery(assessmentQuery(id));
  if (assessment.isPending) return <Waiting />;
  if (assessment.isError) {
    const { status } = asProblem(assessment.error);
    if (status === 404 || status === 422) return <Gone id={id} />;
    return (
      <Unloaded
        error={assessment.error}
        what="The assessment could not be loaded."
        onRetry={() => assessment.refetch()}
      />
    );
  }
  return (
    <>
      <Head assessment={assessment.data} />
      <GapsBanner summary={assessment.data} />
      <Findings assessment={assessment.data} />
    </>
  );
}

function Waiting() {
  return (
    <>
      <title>Findings · Edgeposture</title>
      <h1>Findings</h1>
      <Skeleton label="Loading the assessment" rows={10} />
    </>
  );
}

function Unloaded(props: ComponentProps<typeof ErrorPanel>) {
  return (
    <>
      <title>Findings · Edgeposture</title>
      <h1>Findings</h1>
      <ErrorPanel {...props} />
    </>
  );
}

function Head({ assessment }: { assessment: Assessment }) {
  const { account, score } = assessment;
  const name = visible(account.name || account.id);
  return (
    <header className={styles.head}>
      <title>{`Findings of ${name} · Edgeposture`}</title>
      <h1>{name}</h1>
      <p className={styles.sub}>
        {assessment.demo && "demo account (simulated), "}assessed <When at={assessment.completedAt} />, score{" "}
        {integer(score.value)} of 100{score.grade === null ? ", no grade" : ` (${score.grade})`},{" "}
        {plural(assessment.zones.length, "zone")}
        {assessment.note && `. Note: ${visible(assessment.note)}`}
      </p>
    </header>
  );
}

function Gone({ id }: { id: string }) {
  return (
    <>
      <title>Not found · Edgeposture</title>
      <h1>No such assessment</h1>
      <Empty title="This assessment is not here" action={<Link to="/assessments">All assessments</Link>}>
        There is no assessment <code>{id}</code> on this service.
      </Empty>
    </>
  );
}

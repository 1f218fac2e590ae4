import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { refusedWith } from "../../api/errors";
import type { Assessment } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { integer } from "../../lib/number";
import { moment, zoneName } from "../../lib/time";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { PageHead } from "../../ui/PageHead";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { movedTo } from "../account/queries";
import { usePage } from "../shell/menu";
import { AssessmentContext } from "./context";
import { GapsBanner } from "./GapsBanner";
import { gradeWords } from "./grade";
import { NoRun } from "./NoRun";
import { assessmentQuery, newestAssessments } from "./queries";
import { zonesRead } from "./zones";

const route = getRouteApi("/a/$a/r/$r");

/** What every page about one assessment has: which one it is, how old, and what it could not judge. */
export function AssessmentLayout() {
  const { a, r } = route.useParams();
  return r === "latest" ? <Latest key={a} account={a} /> : <One key={r} account={a} id={r} />;
}

/** Keeps to the assessment that was the latest when the page was opened: nothing changes while someone reads. */
function Latest({ account }: { account: string }) {
  const newest = useKeptError(useQuery(newestAssessments(account)));
  const [pinned, setPinned] = useState<string>();
  const newestId = newest.data?.[0]?.id;
  if (pinned === undefined && newestId !== undefined) setPinned(newestId);

  if (newest.isPending) return <Waiting />;
  if (pinned === undefined) {
    if (newest.isError) {
      return <Unloaded query={newest} what="The latest assessment could not be loaded." />;
    }
    return (
      <>
        <PageName />
        <NoRun account={account} />
      </>
    );
  }
  return (
    <>
      {newestId !== undefined && newestId !== pinned && (
        <Banner
          title="A newer assessment is there."
          actions={<Button onClick={() => setPinned(newestId)}>Show it</Button>}
        />
      )}
      <One key={pinned} account={account} id={pinned} />
    </>
  );
}

function One({ account, id }: { account: string; id: string }) {
  const assessment = useQuery(assessmentQuery(id));
  if (assessment.isPending) return <Waiting />;
  if (assessment.isError) {
    if (refusedWith(assessment.error, 404, 422)) return <Gone account={account} id={id} />;
    return <Unloaded query={assessment} what="The assessment could not be loaded." />;
  }
  const { account: of, completedAt } = assessment.data;
  if (of.id !== account) return <ToItsAccount to={of.id} />;
  return (
    <AssessmentContext value={assessment.data}>
      {/* Where one is on the screen is navigation, which paper has none of. */}
      <p className="on-paper">
        {visible(of.name || of.id)}, assessed {moment(completedAt)} {zoneName(completedAt)}
      </p>
      <Head assessment={assessment.data} />
      <GapsBanner summary={assessment.data} />
      <Outlet />
    </AssessmentContext>
  );
}

/** A run is shown under the account it is of, whatever account the address names. */
function ToItsAccount({ to }: { to: string }) {
  const { history } = useRouter();
  const { href } = useLocation();
  // Once: the address changes while this is still drawn.
  const [own] = useState(() => movedTo(href, to));
  useEffect(() => history.replace(own), [history, own]);
  return <Waiting />;
}

function PageName() {
  return <h1>{usePage()?.name ?? "Assessment"}</h1>;
}

function Waiting() {
  return (
    <>
      <title>Assessment · Edgeposture</title>
      <PageName />
      <Skeleton label="Loading the assessment" rows={10} />
    </>
  );
}

function Unloaded(props: Parameters<typeof QueryError>[0]) {
  return (
    <>
      <title>Assessment · Edgeposture</title>
      <PageName />
      <QueryError {...props} />
    </>
  );
}

/** The page by its name and what of; a page about one thing of the assessment is named by that thing instead. */
function Head({ assessment }: { assessment: Assessment }) {
  const { score } = assessment;
  const page = usePage();
  if (!page?.exact) return null;
  return (
    <PageHead title={page.name}>
      assessed <When at={assessment.completedAt} /> · score {integer(score.value)} of 100, {gradeWords(score)} ·{" "}
      {zonesRead(assessment)}
      {assessment.demo && " · demo account (simulated)"}
      {assessment.carried &&
        ` · ${integer(assessment.carried.sections)} of ${integer(assessment.carried.of)} reads carried forward`}
    </PageHead>
  );
}

function Gone({ account, id }: { account: string; id: string }) {
  return (
    <>
      <title>Not found · Edgeposture</title>
      <h1>No such assessment</h1>
      <Empty
        title="This assessment is not here"
        action={
          <Link to="/a/$a/runs" params={{ a: account }}>
            All assessments
          </Link>
        }
      >
        There is no assessment <code>{id}</code> on this service.
      </Empty>
    </>
  );
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { refusedWith } from "../../api/errors";
import type { Job } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { At } from "../../ui/At";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { accountOf, accountsQuery, addressOf } from "../account/queries";
import { jobProblem } from "../runs/jobProblem";
import { hasEnded } from "../runs/progress";
import { cancelRun, retryRun, runEnded, setJob } from "../runs/queries";
import { useJob } from "../runs/useJob";
import { useMay } from "../session/queries";
import { JobWatch } from "./JobWatch";
import { kindWord } from "./search";

const route = getRouteApi("/jobs/$id");

export function JobPage() {
  const { id } = route.useParams();
  return <One key={id} id={id} />;
}

function One({ id }: { id: string }) {
  const { query, job } = useJob(id, undefined);
  if (job) return <Shown job={job} />;
  const gone = refusedWith(query.error, 404, 422);
  return (
    <>
      <title>Job · Edgeposture</title>
      <h1>{gone ? "No such job" : "Job"}</h1>
      {gone ? (
        <Empty title="This job is not here" action={<Link to="/jobs">All jobs</Link>}>
          There is no job <code>{id}</code> on this service.
        </Empty>
      ) : (
        <QueryStatus query={query} of="job" rows={5} />
      )}
    </>
  );
}

function Shown({ job }: { job: Job }) {
  const client = useQueryClient();
  const may = useMay();
  const navigate = route.useNavigate();
  const accounts = useQuery(accountsQuery);
  const { pending, error, send } = useSend();
  const account = accountOf(accounts.data, job.account);
  const ended = hasEnded(job.state);
  const cancel = () => send(async () => setJob(client, await cancelRun(job.id)));
  const retry = () =>
    send(async () => {
      const next = await retryRun(job.id);
      runEnded(client);
      if (next) await navigate({ to: "/jobs/$id", params: { id: next.id } });
    });
  return (
    <>
      <title>{`${kindWord(job.kind)} ${job.state} · Jobs · Edgeposture`}</title>
      <PageHead
        title={`${kindWord(job.kind)} job`}
        actions={
          may("operator", job.account) &&
          (ended ? (
            job.state !== "succeeded" && (
              <Button onClick={retry} disabled={pending}>
                Retry
              </Button>
            )
          ) : (
            <Button onClick={cancel} disabled={pending}>
              Cancel
            </Button>
          ))
        }
      >
        {job.state}, attempt {integer(job.attempt)}
      </PageHead>
      {Boolean(error) && (
        <ErrorPanel error={error} what={ended ? "The retry did not start." : "It was not cancelled."} />
      )}
      {job.state === "failed" ? (
        <ErrorPanel error={jobProblem(job)} what="Reason:" />
      ) : (
        <JobWatch id={job.id} what={kindWord(job.kind)} />
      )}
      <Panel title="What happened">
        <dl className={form.facts}>
          <dt>Queued</dt>
          <dd>
            <At at={job.createdAt} />
          </dd>
          <dt>Started</dt>
          <dd>{job.startedAt ? <At at={job.startedAt} /> : "not yet"}</dd>
          <dt>Finished</dt>
          <dd>{job.finishedAt ? <At at={job.finishedAt} /> : "not yet"}</dd>
          <dt>Account</dt>
          <dd>
            {account ? (
              <Link to="/a/$a" params={{ a: addressOf(account) }}>
                {visible(account.name)}
              </Link>
            ) : (
              visible(job.account || "none")
            )}
          </dd>
          <dt>Requests</dt>
          <dd>{plural(job.progress.requests, "request")} to Cloudflare</dd>
          {job.assessmentId && (
            <>
              <dt>Assessment</dt>
              <dd>
                <Link to="/assessments/$id" params={{ id: job.assessmentId }}>
                  Show the findings
                </Link>
              </dd>
            </>
          )}
          {job.scheduleId && (
            <>
              <dt>Schedule</dt>
              <dd>
                <Link to="/schedules" search={{ edit: job.scheduleId }}>
                  Show the schedule
                </Link>
              </dd>
            </>
          )}
          <dt>Id</dt>
          <dd>
            <code>{job.id}</code>
          </dd>
        </dl>
      </Panel>
      {job.result !== undefined && job.result !== null && (
        <details className={form.details}>
          <summary>Result as JSON</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
          <pre className={form.code} tabIndex={0}>
            {visible(JSON.stringify(job.result, null, 2))}
          </pre>
        </details>
      )}
    </>
  );
}

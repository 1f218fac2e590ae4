import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { Job } from "../../api/types";
import { integer } from "../../lib/number";
import { duration } from "../../lib/time";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { More } from "../../ui/More";
import { PageHead } from "../../ui/PageHead";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { accountOf, accountsQuery } from "../account/queries";
import { JOB_KINDS, JOB_STATES, type JobKind, type JobsSearch, kindWord } from "./search";

const route = getRouteApi("/jobs");

const PAGE = 100;

const query = ({ state, kind }: JobsSearch) => ({ limit: PAGE, ...(state && { state }), ...(kind && { kind }) });

const CSV: CsvColumn<Job>[] = [
  ["id", ({ id }) => id],
  ["kind", ({ kind }) => kind],
  ["state", ({ state }) => state],
  ["account", ({ account }) => account ?? ""],
  ["attempt", ({ attempt }) => String(attempt)],
  ["created", ({ createdAt }) => createdAt],
  ["started", ({ startedAt }) => startedAt ?? ""],
  ["finished", ({ finishedAt }) => finishedAt ?? ""],
  ["assessment_id", ({ assessmentId }) => assessmentId ?? ""],
  ["error", ({ error }) => error?.detail ?? ""],
];

/** Everything the service was asked to do. */
export function JobsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery({
    queryKey: ["jobs", "page", search],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET("/api/jobs", {
          params: { query: { ...query(search), ...(pageParam !== "" && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor || undefined,
    refetchInterval: 10_000,
  });
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  const filtered = search.state !== undefined || search.kind !== undefined;
  return (
    <>
      <title>Jobs · Edgeposture</title>
      <PageHead
        title="Jobs"
        actions={
          <>
            <CsvButton
              name="jobs"
              columns={CSV}
              rows={() =>
                everyRow((part) => bodyOf(api.GET("/api/jobs", { params: { query: { ...query(search), ...part } } })))
              }
            />
            <select
              aria-label="Kind"
              value={search.kind ?? ""}
              onChange={({ target }) =>
                navigate({
                  search: (before) => ({ ...before, kind: (target.value || undefined) as JobKind | undefined }),
                  replace: true,
                })
              }
            >
              <option value="">All kinds</option>
              {JOB_KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {kindWord(kind)}
                </option>
              ))}
            </select>
          </>
        }
      />
      <States kind={search.kind} />
      {list.isPending && <Skeleton label="Loading the jobs" rows={8} />}
      {list.isError && (
        <ErrorPanel error={list.error} what="The jobs could not be loaded." onRetry={() => list.refetch()} />
      )}
      {list.isSuccess &&
        rows.length === 0 &&
        (filtered ? (
          <Empty
            title="No job matches the filter"
            action={<Button onClick={() => navigate({ search: {} })}>Show all jobs</Button>}
          />
        ) : (
          <Empty title="No job yet" action={<Link to="/">Start a run</Link>}>
            The service has not been asked to do anything.
          </Empty>
        ))}
      {rows.length > 0 && <Rows rows={rows} />}
      {list.hasNextPage && (
        <More onClick={() => list.fetchNextPage()} disabled={list.isFetchingNextPage}>
          Show older
        </More>
      )}
    </>
  );
}

/** A page is counted, no more: beyond it the number is told as at least. */
function States({ kind }: { kind: JobKind | undefined }) {
  const counts = useQueries({
    queries: JOB_STATES.map((state) => ({
      queryKey: ["jobs", "count", state, kind ?? ""],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        bodyOf(api.GET("/api/jobs", { params: { query: query({ state, kind }) }, signal })),
      refetchInterval: 10_000,
      select: (page: { items: unknown[]; nextCursor: string }) =>
        page.nextCursor === "" ? integer(page.items.length) : `${integer(page.items.length)}+`,
    })),
  });
  const search = (state: JobsSearch["state"]) => ({ ...(kind && { kind }), ...(state && { state }) });
  return (
    <nav className={form.tabs} aria-label="State">
      <Link to="/jobs" search={search(undefined)} activeOptions={{ exact: true }}>
        All
      </Link>
      {JOB_STATES.map((state, i) => (
        <Link key={state} to="/jobs" search={search(state)} activeOptions={{ exact: true }}>
          {state} {counts[i]?.data}
        </Link>
      ))}
    </nav>
  );
}

function Rows({ rows }: { rows: Job[] }) {
  const accounts = useQuery(accountsQuery);
  return (
    <div className={table.frame}>
      <table className={table.table}>
        <caption className="visually-hidden">Jobs, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col">Account</th>
            <th scope="col">Queued</th>
            <th scope="col">Took</th>
            <th scope="col">Attempt</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((job) => (
            <tr key={job.id}>
              <td data-label="Job">
                <Link to="/jobs/$id" params={{ id: job.id }}>
                  {kindWord(job.kind)}
                </Link>
                {job.scheduleId && <span className={table.tag}>scheduled</span>}
              </td>
              <td data-label="State">{job.state}</td>
              <td data-label="Account" className={table.text}>
                {visible(accountOf(accounts.data, job.account)?.name ?? job.account)}
              </td>
              <td data-label="Queued">
                <When at={job.createdAt} />
              </td>
              <td data-label="Took">
                {job.startedAt && job.finishedAt && duration(Date.parse(job.finishedAt) - Date.parse(job.startedAt))}
              </td>
              <td data-label="Attempt">{integer(job.attempt)}</td>
              <td data-label="Why" className={table.text}>
                {visible(job.error?.detail ?? "")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

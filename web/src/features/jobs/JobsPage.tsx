import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { byCursor } from "../../api/byCursor";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { Job } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { integer } from "../../lib/number";
import { useSearchState } from "../../lib/useSearchState";
import { Button } from "../../ui/Button";
import type { CsvColumn } from "../../ui/csv";
import { DataTable } from "../../ui/DataTable";
import { Empty } from "../../ui/Empty";
import form from "../../ui/Form.module.css";
import { ListTools } from "../../ui/ListTools";
import { NextPage } from "../../ui/NextPage";
import { oneOf } from "../../ui/oneOf";
import { PageHead } from "../../ui/PageHead";
import { QueryStatus } from "../../ui/QueryStatus";
import { useColumns } from "../../ui/useColumns";
import { accountOf, accountsQuery } from "../account/queries";
import { jobColumns } from "./jobColumns";
import { JOB_KINDS, JOB_STATES, type JobsSearch, jobsQuery, kindWord } from "./search";

const route = getRouteApi("/jobs");

const PAGE = 100;
const KINDS = Object.fromEntries(JOB_KINDS.map((kind) => [kind, kindWord(kind)]));

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
  const [search, set] = useSearchState(route.useSearch(), true);
  const navigate = route.useNavigate();
  const accounts = useQuery(accountsQuery);
  const query = { ...jobsQuery(search), limit: PAGE };
  const list = useKeptError(
    useInfiniteQuery({
      queryKey: ["jobs", "page", query],
      ...byCursor((part, signal) => bodyOf(api.GET("/api/jobs", { params: { query: { ...query, ...part } }, signal }))),
      refetchInterval: 10_000,
    }),
  );
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  const nameOf = (account: string) => accountOf(accounts.data, account)?.name ?? account;
  const table = useColumns<Job>({
    columns: jobColumns(nameOf),
    rows,
    search,
    set,
  });
  const names = Object.fromEntries((accounts.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <>
      <title>Jobs · Edgeposture</title>
      <PageHead title="Jobs" />
      <States search={search} />
      <ListTools
        of="jobs"
        search={search}
        set={set}
        fields={[
          oneOf("Kind", KINDS, search.kind, undefined, (kind) => set({ kind })),
          oneOf("Account", names, search.account, undefined, (account) => set({ account })),
        ]}
        onClear={() => set({ kind: undefined, account: undefined })}
        table={table}
        csv={{
          name: "jobs",
          columns: CSV,
          rows: () => everyRow((part) => bodyOf(api.GET("/api/jobs", { params: { query: { ...query, ...part } } }))),
        }}
      />
      <QueryStatus query={list} of="jobs" rows={8} />
      {list.isSuccess &&
        rows.length === 0 &&
        (Object.keys(jobsQuery(search)).length > 0 ? (
          <Empty
            title="No job matches the filters"
            action={<Button onClick={() => navigate({ search: {} })}>Show all jobs</Button>}
          />
        ) : (
          <Empty title="No job yet" action={<Link to="/">Start a run</Link>}>
            The service has not been asked to do anything.
          </Empty>
        ))}
      {rows.length > 0 && <DataTable caption="Jobs, newest first" table={table} rowKey={({ id }) => id} />}
      <NextPage pages={list}>Show older</NextPage>
    </>
  );
}

/** A page is counted, no more: beyond it the number is told as at least. */
function States({ search }: { search: JobsSearch }) {
  const counts = useQueries({
    queries: JOB_STATES.map((state) => {
      const query = { ...jobsQuery({ ...search, state }), limit: PAGE };
      return {
        queryKey: ["jobs", "count", query],
        queryFn: ({ signal }: { signal: AbortSignal }) => bodyOf(api.GET("/api/jobs", { params: { query }, signal })),
        refetchInterval: 10_000,
        select: (page: { items: unknown[]; nextCursor: string }) =>
          page.nextCursor === "" ? integer(page.items.length) : `${integer(page.items.length)}+`,
      };
    }),
  });
  return (
    <nav className={form.tabs} aria-label="State">
      <Link to="/jobs" search={{ ...search, state: undefined }} activeOptions={{ exact: true }}>
        All
      </Link>
      {JOB_STATES.map((state, i) => (
        <Link key={state} to="/jobs" search={{ ...search, state }} activeOptions={{ exact: true }}>
          {state} {counts[i]?.data}
        </Link>
      ))}
    </nav>
  );
}

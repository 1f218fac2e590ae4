import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { AssessmentSummary } from "../../api/types";
import { SEVERITIES } from "../../lib/severity";
import { useSearchState } from "../../lib/useSearchState";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import type { CsvColumn } from "../../ui/csv";
import { DataTable } from "../../ui/DataTable";
import { Empty } from "../../ui/Empty";
import { ListTools } from "../../ui/ListTools";
import { NextPage } from "../../ui/NextPage";
import { oneOf } from "../../ui/oneOf";
import { PageHead } from "../../ui/PageHead";
import { QueryStatus } from "../../ui/QueryStatus";
import { useColumns } from "../../ui/useColumns";
import { accountNames, accountOf, accountsQuery } from "../account/queries";
import { ASSESSMENT_COLUMNS } from "./assessmentColumns";
import { NoRun } from "./NoRun";
import { allAssessments } from "./queries";
import { type AssessmentsSearch, assessmentsQuery, NO_FILTER, STATUSES } from "./search";

const CSV: CsvColumn<AssessmentSummary>[] = [
  ["id", ({ id }) => id],
  ["completed", ({ completedAt }) => completedAt],
  ["account", ({ account }) => account.name || account.id],
  ["account_id", ({ account }) => account.id],
  ["score", ({ score }) => String(score.value)],
  ["grade", ({ score }) => score.grade ?? ""],
  ["coverage_percent", ({ coverage }) => String(coverage.percent)],
  ...SEVERITIES.map(
    (severity): CsvColumn<AssessmentSummary> => [severity, ({ summary }) => String(summary.bySeverity[severity] ?? 0)],
  ),
  ["not_assessed", ({ summary }) => String(summary.unknown)],
  ["seconds", ({ durationMs }) => String(Math.round(durationMs / 1000))],
  ["profile", ({ profile }) => profile],
  ["note", ({ note }) => note ?? ""],
];

/** The assessments of all accounts. */
export function AssessmentsPage() {
  return <Assessments there={useSearch({ from: "/assessments" })} />;
}

/** The assessments of one account. */
export function AccountAssessmentsPage() {
  const { a } = useParams({ from: "/a/$a/runs" });
  return <Assessments there={useSearch({ from: "/a/$a/runs" })} of={a} />;
}

function Assessments({ there, of }: { there: AssessmentsSearch; of?: string }) {
  const name = of === undefined ? "Assessments" : "Runs";
  const [asked, set] = useSearchState(there, true);
  const search = of === undefined ? asked : { ...asked, account: undefined };
  const accounts = useQuery(accountsQuery);
  const query = { ...assessmentsQuery(search), ...(of !== undefined && { account: of }) };
  const list = useInfiniteQuery(allAssessments(query));
  // By the name that it is registered by here, as on other pages; Cloudflare's own is left of what is not registered any more.
  const named = (run: AssessmentSummary) => {
    const { name = run.account.name } = accountOf(accounts.data, run.account.id) ?? {};
    return { ...run, account: { ...run.account, name } };
  };
  const rows = list.data?.pages.flatMap((page) => page.assessments.map(named)) ?? [];
  const table = useColumns<AssessmentSummary>({
    columns: ASSESSMENT_COLUMNS,
    rows,
    search,
    set,
  });
  const names = accountNames(accounts.data);
  const whose = of !== undefined && (accountOf(accounts.data, of)?.name || rows[0]?.account.name || of);
  return (
    <>
      <title>{`${name}${whose ? ` · ${visible(whose)}` : ""} · Edgeposture`}</title>
      <PageHead title={name} />
      <ListTools
        of={name.toLowerCase()}
        search={search}
        set={set}
        fields={[
          ...(of === undefined
            ? [oneOf("Account", names, search.account, undefined, (account) => set({ account }))]
            : []),
          oneOf("Coverage", STATUSES, search.status, undefined, (status) => set({ status })),
        ]}
        onClear={() => set(NO_FILTER)}
        table={table}
        csv={{
          name: name.toLowerCase(),
          columns: CSV,
          rows: () =>
            everyRow(async (part) => {
              const page = await bodyOf(api.GET("/api/assessments", { params: { query: { ...query, ...part } } }));
              return { items: page.assessments.map(named), nextCursor: page.nextCursor };
            }),
        }}
      />
      <QueryStatus query={list} of="assessments" rows={8} />
      {list.isSuccess &&
        rows.length === 0 &&
        (Object.keys(assessmentsQuery(search)).length > 0 ? (
          <Empty
            title="No assessment matches the filters"
            action={<Button onClick={() => set(NO_FILTER)}>Clear the filters</Button>}
          />
        ) : of === undefined ? (
          <Empty title="No assessment yet" action={<Link to="/">Start the first run</Link>}>
            Nothing has been assessed on this service so far.
          </Empty>
        ) : (
          <NoRun account={of} />
        ))}
      {rows.length > 0 && <DataTable caption="Past assessments, newest first" table={table} rowKey={({ id }) => id} />}
      <NextPage pages={list}>Show older</NextPage>
    </>
  );
}

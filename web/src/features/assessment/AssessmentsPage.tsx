import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { AssessmentSummary } from "../../api/types";
import { integer, percent } from "../../lib/number";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { duration } from "../../lib/time";
import { visible } from "../../lib/visible";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import styles from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { More } from "../../ui/More";
import { PageHead } from "../../ui/PageHead";
import { SeverityShape } from "../../ui/Shape";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { gradeNote } from "./grade";
import { allAssessments } from "./queries";

const route = getRouteApi("/a/$a/runs");

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

export function AssessmentsPage() {
  return <Assessments />;
}

export function AccountAssessmentsPage() {
  return <Assessments account={route.useParams().a} />;
}

function Assessments({ account }: { account?: string }) {
  const name = account === undefined ? "Assessments" : "Runs";
  const list = useInfiniteQuery(allAssessments(account));
  const rows = list.data?.pages.flatMap((page) => page.assessments) ?? [];
  return (
    <>
      <title>{`${name} · Edgeposture`}</title>
      <PageHead
        title={name}
        actions={
          rows.length > 0 && (
            <CsvButton
              name={name.toLowerCase()}
              columns={CSV}
              rows={() =>
                everyRow(async (part) => {
                  const query = { ...(account && { account }), ...part };
                  const page = await bodyOf(api.GET("/api/assessments", { params: { query } }));
                  return { items: page.assessments, nextCursor: page.nextCursor };
                })
              }
            />
          )
        }
      />
      {list.isPending && <Skeleton label="Loading the assessments" rows={8} />}
      {list.isError && (
        <ErrorPanel error={list.error} what="The assessments could not be loaded." onRetry={() => list.refetch()} />
      )}
      {list.isSuccess && rows.length === 0 && (
        <Empty title="No assessment yet" action={<Link to="/">Start the first run</Link>}>
          Nothing has been assessed {account === undefined ? "on this service" : "of this account"} so far.
        </Empty>
      )}
      {rows.length > 0 && (
        <div className={styles.frame}>
          <table className={styles.table}>
            <caption className="visually-hidden">Past assessments, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Completed</th>
                <th scope="col">Account</th>
                <th scope="col">Score</th>
                <th scope="col">Coverage</th>
                <th scope="col">Open by severity</th>
                <th scope="col">Not assessed</th>
                <th scope="col">Took</th>
                <th scope="col">Note</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.hasNextPage && (
        <More onClick={() => list.fetchNextPage()} disabled={list.isFetchingNextPage}>
          Show older
        </More>
      )}
    </>
  );
}

function Row({ row }: { row: AssessmentSummary }) {
  return (
    <tr>
      <td data-label="Completed">
        <Link to="/a/$a/r/$r/findings" params={{ a: row.account.id, r: row.id }}>
          <When at={row.completedAt} />
        </Link>
      </td>
      <td data-label="Account" className={styles.text}>
        {visible(row.account.name || row.account.id)}
        {row.demo && <span className={styles.tag}>demo</span>}
      </td>
      <td data-label="Score">
        {integer(row.score.value)} {row.score.grade ?? <span className={styles.muted}>no grade</span>}
        {gradeNote(row.score) && <div className={styles.muted}>{gradeNote(row.score)}</div>}
      </td>
      <td data-label="Coverage">{percent(row.coverage.percent)}</td>
      <td data-label="Open by severity">
        <ul className={styles.counts}>
          {SEVERITIES.map((severity) => (
            <li key={severity} title={severityWord(severity)}>
              <SeverityShape severity={severity} />
              <span className="visually-hidden">{severityWord(severity)} </span>
              {integer(row.summary.bySeverity[severity] ?? 0)}
            </li>
          ))}
        </ul>
      </td>
      <td data-label="Not assessed">{integer(row.summary.unknown)}</td>
      <td data-label="Took">{duration(row.durationMs)}</td>
      <td data-label="Note" className={styles.text}>
        {visible(row.note ?? "")}
      </td>
    </tr>
  );
}

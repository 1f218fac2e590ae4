import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { change, integer } from "../../lib/number";
import { Panel } from "../../ui/Panel";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { driftQuery } from "../drift/queries";
import { Since } from "../drift/Since";
import { newestPair, type Pair } from "../trend/line";
import { trendQuery } from "../trend/queries";
import styles from "./SeverityPanel.module.css";

/** New, regressed and resolved findings between the newest two runs that compare. */
export function Changes({ summary }: { summary: AssessmentSummary }) {
  const trend = useQuery(trendQuery(summary.account.id, summary));
  const pair = newestPair(trend.data ?? []);
  const navigate = useNavigate();
  return (
    <Panel
      title="What changed since the last run"
      aside={
        pair && (
          <Link
            to="/a/$a/drift"
            params={{ a: summary.account.id }}
            search={{ from: pair.before.assessmentId, to: pair.current.assessmentId }}
          >
            All changes
          </Link>
        )
      }
    >
      {trend.isPending && <Skeleton label="Looking for the run before" rows={3} />}
      <QueryError query={trend} what="The run before is not known." />
      {trend.isSuccess && !pair && (
        <p className="muted">
          {trend.data.length > 1
            ? "Nothing compares yet: it takes two runs of the whole account, and others were of a part of it."
            : "There is only this run so far; it takes two to compare."}
        </p>
      )}
      {pair && (
        <>
          <DriftCounts account={summary.account.id} newest={summary.id} pair={pair} />
          <Since
            account={summary.account.id}
            current={{ id: pair.current.assessmentId, completedAt: pair.current.at }}
            onChoose={(from) => {
              const search = { from, to: pair.current.assessmentId };
              return navigate({ to: "/a/$a/drift", params: { a: summary.account.id }, search });
            }}
          />
        </>
      )}
    </Panel>
  );
}

/** How two runs differ, each number with its list. */
export function DriftCounts({
  account,
  newest,
  pair: { before, current },
}: {
  account: string;
  newest: string;
  pair: Pair;
}) {
  const drift = useQuery(driftQuery(before.assessmentId, current.assessmentId));
  const search = { from: before.assessmentId, to: current.assessmentId };
  const older = drift.data?.new.filter(({ reason }) => reason).length ?? 0;
  return (
    <>
      <QueryError query={drift} what="The runs could not be compared." />
      <p role="status" className="visually-hidden">
        {drift.isPending && "Comparing the runs"}
      </p>
      {/* In their place before they are known: what is below is pressed meanwhile. */}
      {!drift.isError && (
        <ul className={styles.legend} aria-busy={drift.isPending}>
          {(
            [
              ["new", "New", "worse"],
              ["regressed", "Regressed", "worse"],
              ["resolved", "Resolved", undefined],
              ["unknown", "Unreadable", undefined],
            ] as const
          ).map(([list, word, only]) => (
            <li key={list}>
              <Link to="/a/$a/drift" params={{ a: account }} search={{ ...search, only }}>
                <span className={styles.count}>{drift.data ? integer(drift.data[list].length) : "…"}</span>
                <span className={styles.word}>
                  {list === "unknown" && <span className={styles.swatch} />}
                  {word}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p className="muted">
        {newest !== current.assessmentId && "The newest run was of a part of the account and does not compare. "}
        Score{" "}
        <Link to="/a/$a/r/$r/findings" params={{ a: account, r: before.assessmentId }}>
          {integer(before.score)}
        </Link>{" "}
        <When at={before.at} />,{" "}
        <Link to="/a/$a/r/$r/findings" params={{ a: account, r: current.assessmentId }}>
          {integer(current.score)}
        </Link>{" "}
        <When at={current.at} />
        {current.partial === before.partial && ` (${change(current.score - before.score)})`}.
        {older > 0 && ` Of the new findings ${integer(older)} may be older: the earlier run could not judge them.`}
      </p>
    </>
  );
}

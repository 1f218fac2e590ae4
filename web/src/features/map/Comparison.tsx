import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Assessment } from "../../api/types";
import { plural } from "../../lib/number";
import { At } from "../../ui/At";
import { Button } from "../../ui/Button";
import filter from "../../ui/Filter.module.css";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { allAssessments } from "../assessment/queries";
import { runBefore } from "../drift/before";
import { CompareError, RunOptions } from "../drift/Compare";
import { driftQuery } from "../drift/queries";
import type { PostureGraph } from "../graph/columns";
import { ChangeMark } from "./ChangeMark";
import { changesOn, type Tally } from "./changes";
import styles from "./Map.module.css";

const route = getRouteApi("/a/$a/r/$r/map");

/** The assessments to compare with, and what differs from the chosen one as far as it is known. */
export function useComparison({ id }: Assessment, graph: PostureGraph, against: string | undefined) {
  const { a } = route.useParams();
  const list = useInfiniteQuery(allAssessments({ account: a }));
  const runs = list.data?.pages.flatMap((page) => page.assessments) ?? [];
  const before = runBefore(runs, id)?.id;
  const baseline = against === "before" ? before : against;
  const drift = useQuery({
    ...driftQuery(baseline ?? "", id),
    enabled: baseline !== undefined && baseline !== id,
  });
  const changes = useMemo(() => drift.data && changesOn(graph, drift.data), [graph, drift.data]);
  return { list, others: runs.filter((run) => run.id !== id), baseline, drift, changes };
}

export type Comparing = ReturnType<typeof useComparison>;

interface ChoiceProps {
  against: string | undefined;
  comparison: Comparing;
  onChange: (against: string | undefined) => void;
}

export function CompareWith({ against, comparison: { others }, onChange }: ChoiceProps) {
  const chosen = against === "before" ? undefined : against;
  return (
    <label className={filter.check}>
      Compare with
      <select
        className={styles.run}
        value={against ?? ""}
        onChange={({ target }) => onChange(target.value || undefined)}
      >
        <option value="">nothing</option>
        <option value="before">the run before</option>
        <RunOptions runs={others} chosen={chosen} />
      </select>
    </label>
  );
}

interface OutcomeProps {
  assessment: Assessment;
  comparison: Comparing;
  tally: Tally | undefined;
}

/** What the comparison says of the nodes that are shown, or why it says nothing. The map stays as it is either way. */
export function ComparisonOutcome({ assessment, comparison, tally }: OutcomeProps) {
  const { list, baseline, drift } = comparison;
  if (baseline === assessment.id) {
    return <p className="muted">This is the same assessment, choose another to see what changed.</p>;
  }
  if (baseline === undefined) {
    if (list.isPending) return <Skeleton label="Looking for the run before" rows={1} />;
    if (list.isError) {
      return <QueryError query={list} what="The assessments to compare with could not be loaded." />;
    }
    return list.hasNextPage ? (
      <p className="muted">
        The run before is not among the newest. <Button onClick={() => list.fetchNextPage()}>Look further back</Button>
      </p>
    ) : (
      <p className="muted">There is no run before this one.</p>
    );
  }
  if (drift.isError) return <CompareError error={drift.error} onRetry={drift.refetch} />;
  if (!drift.data || !tally) return <Skeleton label="Comparing the assessments" rows={1} />;
  const { baseline: before, current, unknown } = drift.data;
  return (
    <p role="status" className={styles.changes}>
      <span>
        <ChangeMark kind="worse" /> {plural(tally.worse, "resource")} with new or regressed findings
      </span>
      <span>
        <ChangeMark kind="fixed" /> {plural(tally.fixed, "resource")} with resolved findings
      </span>
      <span className="muted">
        since <At at={before.completedAt} />
        {before.completedAt > current.completedAt && ", the later of the two: what is new here was resolved in between"}
        {unknown.length > 0 && `; ${plural(unknown.length, "finding")} became unreadable, in the whole account`}
      </span>
      <Link from={route.id} to="/a/$a/drift" search={{ from: before.id, to: current.id }}>
        Every change
      </Link>
    </p>
  );
}

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";
import type { Assessment } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { useCalm } from "../../lib/useCalm";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Skeleton } from "../../ui/Skeleton";
import { Filters } from "./Filters";
import { FindingDrawer } from "./FindingDrawer";
import styles from "./Findings.module.css";
import { Grid } from "./Grid";
import { findingsPages } from "./queries";
import { type FindingsSearch, findingsQuery, isFiltered, resultsOf } from "./search";

const route = getRouteApi("/a/$a/r/$r/findings");

const NO_FILTER: FindingsSearch = {
  result: undefined,
  severity: undefined,
  category: undefined,
  zone: undefined,
  q: undefined,
};

export function Findings({ assessment }: { assessment: Assessment }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const pages = useInfiniteQuery(findingsPages(assessment.id, search));
  const grid = useRef<HTMLDivElement>(null);

  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const counts = pages.data?.pages[0]?.counts ?? {};
  const total = resultsOf(search).reduce((sum, result) => sum + (counts[result] ?? 0), 0);

  const change = useCallback(
    (part: FindingsSearch, replace = false) =>
      navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false }),
    [navigate],
  );

  const openIndex = items.findIndex((finding) => finding.id === search.finding);
  const filterKey = JSON.stringify(findingsQuery(search));
  const [cursor, setCursor] = useState({ filterKey, index: 0 });
  const kept = cursor.filterKey === filterKey ? cursor.index : 0;
  const active = openIndex >= 0 ? openIndex : Math.min(kept, Math.max(0, items.length - 1));

  const move = (index: number) => {
    const next = items[index];
    if (!next) return;
    setCursor({ filterKey, index });
    if (search.finding !== undefined) change({ finding: next.id }, true);
  };
  const open = (index: number) => {
    const next = items[index];
    if (!next) return;
    setCursor({ filterKey, index });
    change({ finding: next.id }, search.finding !== undefined);
  };

  return (
    <>
      <Filters assessment={assessment} search={search} counts={pages.data ? counts : undefined} onChange={change} />
      <Matches total={pages.data && !pages.isPlaceholderData ? total : undefined} />
      {pages.isPending && <Skeleton label="Loading the findings" rows={12} />}
      {pages.isError && !pages.isFetchNextPageError && (
        <ErrorPanel error={pages.error} what="The findings could not be loaded." onRetry={() => pages.refetch()} />
      )}
      {pages.isSuccess && items.length === 0 && <Nothing assessment={assessment} search={search} onChange={change} />}
      {items.length > 0 && (
        <div className={pages.isPlaceholderData ? styles.stale : undefined} aria-busy={pages.isPlaceholderData}>
          <Grid
            ref={grid}
            items={items}
            total={Math.max(total, items.length)}
            active={active}
            opened={search.finding}
            onMove={move}
            onOpen={open}
            onNearEnd={() => {
              if (pages.hasNextPage && !pages.isFetchingNextPage && !pages.isFetchNextPageError) {
                void pages.fetchNextPage();
              }
            }}
          />
        </div>
      )}
      {pages.isFetchingNextPage && <p role="status">Loading more findings…</p>}
      {pages.isFetchNextPageError && (
        <ErrorPanel
          error={pages.error}
          what={`Only the first ${integer(items.length)} findings are shown.`}
          onRetry={() => pages.fetchNextPage()}
        />
      )}
      <FindingDrawer
        assessmentId={assessment.id}
        findingId={search.finding}
        loaded={items[openIndex]}
        listed={!pages.isPending}
        place={openIndex >= 0 ? `${integer(openIndex + 1)} of ${integer(total)}` : ""}
        returnTo={grid}
        onStep={(by) => move(openIndex < 0 ? 0 : openIndex + by)}
        onClose={() => change({ finding: undefined }, true)}
      />
    </>
  );
}

/** How many match, seen and (calmly) heard. */
function Matches({ total }: { total: number | undefined }) {
  const words = total === undefined ? "" : plural(total, "finding");
  const spoken = useCalm(words);
  return (
    <p className={styles.matches}>
      <span>{words || "\u00a0"}</span>
      <span className="visually-hidden" role="status">
        {spoken}
      </span>
    </p>
  );
}

interface NothingProps {
  assessment: Assessment;
  search: FindingsSearch;
  onChange: (part: FindingsSearch) => void;
}

/** There are different reasons for an empty list, and only one of them is good news. */
function Nothing({ assessment, search, onChange }: NothingProps) {
  if (isFiltered(search)) {
    return (
      <Empty
        title="No finding matches the filters"
        action={<Button onClick={() => onChange(NO_FILTER)}>Clear the filters</Button>}
      >
        The assessment has {plural(assessment.summary.total, "finding")} in all.
      </Empty>
    );
  }
  if (assessment.summary.total === 0) {
    return (
      <Empty title="This assessment judged nothing">
        No check applied to what was in scope, so there is neither a good nor a bad result.
      </Empty>
    );
  }
  return (
    <Empty
      title="No open finding"
      action={<Button onClick={() => onChange({ result: "all" })}>Show what passed</Button>}
    >
      Every check that applied was judged and passed.
    </Empty>
  );
}

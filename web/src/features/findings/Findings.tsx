import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";
import type { Assessment, Finding } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { Skeleton } from "../../ui/Skeleton";
import { useAccepted } from "../exceptions/useAccepted";
import { ExportButtons } from "./ExportButtons";
import { Filters } from "./Filters";
import { FindingDrawer } from "./FindingDrawer";
import styles from "./Findings.module.css";
import { Grid } from "./Grid";
import { GroupList } from "./GroupList";
import { Matches } from "./Matches";
import { Nothing } from "./Nothing";
import { facetsQuery, findingsPages } from "./queries";
import { SavedViews } from "./SavedViews";
import { SelectionBar } from "./SelectionBar";
import { type FindingsSearch, findingsQuery, GROUPINGS, type Grouping, resultsOf, shownQuery } from "./search";
import { useSelection } from "./useSelection";

const route = getRouteApi("/a/$a/r/$r/findings");

export function Findings({ assessment }: { assessment: Assessment }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = findingsQuery(search);
  const shown = shownQuery(search);
  const pages = useInfiniteQuery(findingsPages(assessment.id, shown));
  const facets = useQuery(facetsQuery(assessment.id, filter));
  const accepted = useAccepted();
  const grid = useRef<HTMLDivElement>(null);
  const account = assessment.account.id;

  const items = (shown && pages.data?.pages.flatMap((page) => page.items)) ?? [];
  const counts = pages.data?.pages[0]?.counts ?? {};
  const total = resultsOf(search).reduce((sum, result) => sum + (counts[result] ?? 0), 0);
  const known = facets.isPlaceholderData ? undefined : (facets.data ?? undefined);
  const matching = known && resultsOf(search).reduce((sum, result) => sum + (known.result[result] ?? 0), 0);

  const change = useCallback(
    (part: FindingsSearch, replace = false) =>
      navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false }),
    [navigate],
  );

  const openIndex = items.findIndex((finding) => finding.id === search.finding);
  const filterKey = JSON.stringify(shown ?? filter);
  const selected = useSelection(filterKey, items);
  const [hidden, setHidden] = useState<number>();
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
  const marks = (finding: Finding) => [
    ...(finding.status === "reopened" ? ["Reopened"] : []),
    ...(finding.exception ? ["Accepted"] : accepted.of(finding, account)?.length ? ["Accepted since"] : []),
  ];

  const nothing = <Nothing assessment={assessment} search={search} onChange={change} />;
  const rows = (
    <>
      {shown && pages.isPending && <Skeleton label="Loading the findings" rows={12} />}
      {pages.isError && !pages.isFetchNextPageError && (
        <ErrorPanel error={pages.error} what="The findings could not be loaded." onRetry={() => pages.refetch()} />
      )}
      {shown && pages.isSuccess && items.length === 0 && nothing}
      {selected.any && (
        <SelectionBar
          selected={selected}
          total={pages.data && !pages.isPlaceholderData ? total : undefined}
          everything={{ assessmentId: assessment.id, filter: shown ?? filter }}
          onAccepted={setHidden}
        />
      )}
      {items.length > 0 && (
        <div className={pages.isPlaceholderData ? styles.stale : undefined} aria-busy={pages.isPlaceholderData}>
          <Grid
            ref={grid}
            items={items}
            total={Math.max(total, items.length)}
            active={active}
            opened={search.finding}
            selection={selected.selection}
            marks={marks}
            link={(finding) => (
              <Link
                from={route.id}
                to="."
                search={(before) => ({ ...before, finding: finding.id })}
                resetScroll={false}
                tabIndex={-1}
              >
                {finding.checkId}
              </Link>
            )}
            onMove={move}
            onOpen={open}
            onSelect={selected.turn}
            onSelectAll={selected.turnAll}
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
    </>
  );

  return (
    <>
      <Filters
        search={search}
        vocabulary={{
          categories: [...new Set(assessment.checks.map((check) => check.category))].sort(),
          zones: [...new Set(assessment.zones.map((zone) => zone.name))].sort(),
          checks: assessment.checks.map((check) => check.checkId),
          leavesOut: true,
        }}
        facets={known}
        onChange={change}
      />
      <SavedViews search={search} />
      <div className={form.actions}>
        <select
          aria-label="Group by"
          value={search.group ?? ""}
          onChange={({ target }) =>
            change({ group: (target.value || undefined) as Grouping | undefined, in: undefined, finding: undefined })
          }
        >
          <option value="">Not grouped</option>
          {GROUPINGS.map((by) => (
            <option key={by} value={by}>
              By {by}
            </option>
          ))}
        </select>
        <ExportButtons assessment={assessment} search={search} />
      </div>
      {facets.isError && (
        <ErrorPanel error={facets.error} what="The findings were not counted." onRetry={() => facets.refetch()} />
      )}
      {Boolean(accepted.error) && (
        <ErrorPanel error={accepted.error} what="What is accepted now is not known." onRetry={accepted.retry} />
      )}
      {hidden !== undefined && (
        <div role="status">
          <Banner
            title={`${plural(hidden, "finding")} accepted.`}
            actions={<Button onClick={() => setHidden(undefined)}>Close</Button>}
          >
            They are left out of <Link to="/findings">the lists of now</Link> and stay in this run, marked. See{" "}
            <Link to="/exceptions">the exceptions</Link>.
          </Banner>
        </div>
      )}
      <Matches total={search.group ? matching : pages.data && !pages.isPlaceholderData ? total : undefined} />
      {search.group ? (
        <GroupList
          assessmentId={assessment.id}
          filter={filter}
          by={search.group}
          open={search.in}
          onOpen={(value) => change({ in: value, finding: undefined })}
          nothing={nothing}
        >
          {rows}
        </GroupList>
      ) : (
        rows
      )}
      <FindingDrawer
        assessmentId={assessment.id}
        findingId={search.finding}
        loaded={items[openIndex]}
        listed={!shown || !pages.isPending}
        place={openIndex >= 0 ? `${integer(openIndex + 1)} of ${integer(Math.max(total, items.length))}` : ""}
        returnTo={grid}
        onStep={(by) => move(openIndex < 0 ? 0 : openIndex + by)}
        onClose={() => change({ finding: undefined }, true)}
      />
    </>
  );
}

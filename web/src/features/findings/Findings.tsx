import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Group } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { Assessment, Finding } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { useSearchState } from "../../lib/useSearchState";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { ColumnsTool } from "../../ui/ColumnsTool";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { AddFilter, FilterChips } from "../../ui/FilterChips";
import { NextPageError, nearEnd } from "../../ui/NextPage";
import { onDemand } from "../../ui/onDemand";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { SortTool } from "../../ui/SortTool";
import { ToolMenu } from "../../ui/ToolMenu";
import tools from "../../ui/Tools.module.css";
import { useColumns } from "../../ui/useColumns";
import { useAccepted } from "../exceptions/useAccepted";
import { ViewsTool } from "../views/ViewsTool";
import styles from "./Findings.module.css";
import { runFields } from "./fields";
import { Grid } from "./Grid";
import { GroupList } from "./GroupList";
import { gridColumns } from "./gridColumns";
import { Matches } from "./Matches";
import { Nothing } from "./Nothing";
import { QueryBox } from "./QueryBox";
import { everyFinding, facetsQuery, findingsPages } from "./queries";
import { SelectionBar } from "./SelectionBar";
import {
  findingsQuery,
  findingsSearch,
  GROUPINGS,
  NO_FILTER,
  resultsOf,
  SORT_WORDS,
  shownQuery,
  viewQuery,
} from "./search";
import { useExport } from "./useExport";
import { useSelection } from "./useSelection";

/** Loaded when a finding is opened: the list is there without it. */
const FindingDrawer = onDemand(() => import("./FindingDrawer").then(({ FindingDrawer }) => FindingDrawer));

const route = getRouteApi("/a/$a/r/$r/findings");

export function Findings({ assessment }: { assessment: Assessment }) {
  const [search, change] = useSearchState(route.useSearch(), false);
  const filter = findingsQuery(search);
  const sorted: Record<string, string> = search.sort === undefined ? {} : { sort: search.sort };
  const listed = { ...filter, ...sorted };
  const narrowed = shownQuery(search);
  const shown = narrowed && { ...narrowed, ...sorted };
  /** Groups are shown, and none of them is open. */
  const grouped = narrowed === undefined;
  const pages = useInfiniteQuery(findingsPages(assessment.id, shown));
  const facets = useQuery(facetsQuery(assessment.id, filter));
  const accepted = useAccepted();
  const grid = useRef<HTMLDivElement>(null);
  const account = assessment.account.id;

  const items = useMemo(
    () => (grouped ? undefined : pages.data?.pages.flatMap((page) => page.items)) ?? [],
    [pages.data, grouped],
  );
  const counts = pages.data?.pages[0]?.counts ?? {};
  const total = resultsOf(search).reduce((sum, result) => sum + (counts[result] ?? 0), 0);
  const known = facets.isPlaceholderData ? undefined : (facets.data ?? undefined);
  const matching = known && resultsOf(search).reduce((sum, result) => sum + (known.result[result] ?? 0), 0);

  const sortBy = (sort: string | undefined) => change({ sort, finding: undefined });

  const openIndex = items.findIndex((finding) => finding.id === search.finding);
  const filterKey = JSON.stringify(shown ?? filter);
  // Rows of the filter before, which are there until the answer is, are not for choosing.
  const selected = useSelection(filterKey, pages.isPlaceholderData ? [] : items);
  const [hidden, setHidden] = useState<number>();
  // Once it was open it stays, to give the focus back when it closes.
  const [drawn, setDrawn] = useState(false);
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

  const table = useColumns({
    columns: gridColumns({
      marks,
      link: (finding) => (
        <Link
          from={route.id}
          to="."
          search={(before) => ({ ...before, finding: finding.id })}
          resetScroll={false}
          tabIndex={-1}
        >
          {finding.checkId}
        </Link>
      ),
    }),
    rows: [],
    search,
    set: (part) => ("columns" in part ? change(part, true) : sortBy(part.sort)),
  });

  const adder = useRef<HTMLButtonElement>(null);
  const vocabulary = {
    categories: [...new Set(assessment.checks.map((check) => check.category))].sort(),
    zones: [...new Set(assessment.zones.map((zone) => zone.name))].sort(),
    checks: assessment.checks.map((check) => check.checkId),
    leavesOut: true,
    counts: known,
  };
  const fields = runFields(search, vocabulary, known, change);
  // The address names the assessment, because "latest" means another one tomorrow.
  const query = new URLSearchParams(listed).toString().replaceAll("%2C", ",");
  const file = useExport(
    { account: assessment.account.name, assessmentId: assessment.id, at: assessment.completedAt },
    `/a/${encodeURIComponent(account)}/r/${assessment.id}/findings${query && `?${query}`}`,
    (signal, onCount) => everyFinding(assessment.id, listed, signal, onCount),
  );

  const nothing = <Nothing assessment={assessment} search={search} onChange={change} />;
  const rows = (
    <>
      {shown && pages.isPending && <Skeleton label="Loading the findings" rows={12} />}
      {!pages.isFetchNextPageError && <QueryError query={pages} what="The findings could not be loaded." />}
      {shown && pages.isSuccess && items.length === 0 && nothing}
      {selected.any && (
        <SelectionBar
          selected={selected}
          total={pages.data && !pages.isPlaceholderData ? total : undefined}
          everything={{ assessmentId: assessment.id, filter: narrowed ?? filter }}
          onAccepted={setHidden}
        />
      )}
      {items.length > 0 && (
        <div className={pages.isPlaceholderData ? styles.stale : undefined} aria-busy={pages.isPlaceholderData}>
          <Grid
            ref={grid}
            table={table}
            items={items}
            total={Math.max(total, items.length)}
            active={active}
            opened={search.finding}
            selection={selected.selection}
            onMove={move}
            onOpen={open}
            onSelect={selected.turn}
            onSelectAll={selected.turnAll}
            onNearEnd={() => nearEnd(pages)}
          />
        </div>
      )}
      {pages.isFetchingNextPage && <p role="status">Loading more findings…</p>}
      <NextPageError pages={pages} what={`Only the first ${integer(items.length)} findings are shown.`} />
    </>
  );

  return (
    <>
      <search className={tools.tools} aria-label="Filter the findings">
        <QueryBox value={search} vocabulary={vocabulary} onChange={(filters) => change(filters, true)} />
        <AddFilter fields={fields} trigger={adder} />
        <ViewsTool page="findings" query={viewQuery(search)} parse={findingsSearch} />
        <ToolMenu
          label={search.group ? `By ${search.group}` : "Group"}
          icon={<Group aria-hidden />}
          entries={[undefined, ...GROUPINGS].map((group) => ({
            kind: "one",
            name: group ? `By ${group}` : "Not grouped",
            on: search.group === group,
            onTurn: () => change({ group, in: undefined, finding: undefined }),
          }))}
        />
        <SortTool words={SORT_WORDS} sort={search.sort} onSort={sortBy} />
        <ColumnsTool table={table} onReset={() => change({ columns: undefined })} />
        {file.tool}
        <FilterChips fields={fields} trigger={adder} onClear={() => change(NO_FILTER)} />
        {file.said}
      </search>
      <QueryError query={facets} what="The findings were not counted." />
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
      {(drawn || search.finding !== undefined) && (
        <FindingDrawer
          assessmentId={assessment.id}
          findingId={search.finding}
          loaded={items[openIndex]}
          listed={!shown || !pages.isPending}
          place={openIndex >= 0 ? `${integer(openIndex + 1)} of ${integer(Math.max(total, items.length))}` : ""}
          returnTo={grid}
          onStep={(by) => move(openIndex < 0 ? 0 : openIndex + by)}
          onDrawn={setDrawn}
          onClose={() => {
            setCursor({ filterKey, index: active });
            change({ finding: undefined }, true);
          }}
        />
      )}
    </>
  );
}

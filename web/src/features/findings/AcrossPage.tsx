import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import type { Finding, LatestFinding } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { integer, plural } from "../../lib/number";
import { useSearchState } from "../../lib/useSearchState";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { ColumnsTool } from "../../ui/ColumnsTool";
import { Empty } from "../../ui/Empty";
import { AddFilter, FilterChips } from "../../ui/FilterChips";
import { NextPageError, nearEnd } from "../../ui/NextPage";
import { PageHead } from "../../ui/PageHead";
import { QueryError, QueryStatus } from "../../ui/QueryStatus";
import { SortTool } from "../../ui/SortTool";
import tools from "../../ui/Tools.module.css";
import { useColumns } from "../../ui/useColumns";
import { accountOf, accountsQuery } from "../account/queries";
import { checksQuery } from "../catalogue/queries";
import { ViewsTool } from "../views/ViewsTool";
import { ACROSS_SORTS, acrossQuery, acrossSearch, acrossView, boxOf, NO_ACROSS } from "./across";
import styles from "./Findings.module.css";
import { acrossFields } from "./fields";
import { Grid } from "./Grid";
import { gridColumns } from "./gridColumns";
import { QueryBox } from "./QueryBox";
import { everyLatest, latestPages } from "./queries";
import { SelectionBar } from "./SelectionBar";
import { useExport } from "./useExport";
import { useSelection } from "./useSelection";

const route = getRouteApi("/findings");
const accountIdOf = (finding: object) => (finding as LatestFinding).accountId;

/** Where findings stand now, over all accounts. */
export function AcrossPage() {
  const [search, change] = useSearchState(route.useSearch(), false);
  const go = useNavigate();
  const filter = acrossQuery(search);
  const listed = { ...filter, ...(search.sort !== undefined && { sort: search.sort }) };
  const filterKey = JSON.stringify(listed);
  const accounts = useQuery(accountsQuery);
  const grid = useRef<HTMLDivElement>(null);
  const [paused, setPaused] = useState(false);
  const pages = useKeptError(useInfiniteQuery(latestPages(listed, paused)));
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const accepted = pages.data?.pages[0]?.hidden ?? 0;
  // Rows of the filter before, which are there until the answer is, are not for choosing.
  const selected = useSelection(filterKey, pages.isPlaceholderData ? [] : items);
  if (paused !== selected.any) setPaused(selected.any);
  const [cursor, setCursor] = useState({ filterKey, index: 0 });
  const active = Math.min(cursor.filterKey === filterKey ? cursor.index : 0, Math.max(0, items.length - 1));
  const [hidden, setHidden] = useState<number>();
  const params = (finding: LatestFinding) => ({ a: finding.accountId, r: finding.assessmentId, id: finding.id });
  const sortBy = (sort: string | undefined) => change({ sort });
  const table = useColumns<Finding>({
    columns: gridColumns({
      account: (finding) => accountOf(accounts.data, accountIdOf(finding))?.name ?? accountIdOf(finding),
      marks: (finding) => [
        ...(finding.exception ? ["Accepted"] : []),
        ...(finding.status === "open" ? [] : [finding.status === "reopened" ? "Reopened" : "Resolved"]),
      ],
      link: (finding) => (
        <Link to="/a/$a/r/$r/findings/$id" params={params(finding as LatestFinding)} tabIndex={-1}>
          {finding.checkId}
        </Link>
      ),
    }),
    rows: [],
    search,
    set: (part) => change(part, "columns" in part),
  });
  const adder = useRef<HTMLButtonElement>(null);
  const checks = useQuery(checksQuery);
  const categories = [...new Set(checks.data?.map(({ category }) => category))].sort();
  const box = boxOf(search as never);
  const fields = acrossFields(search, accounts.data ?? [], categories, change);
  const file = useExport({ account: "all accounts", at: "" }, `/findings?${acrossView(search)}`, (signal, onCount) =>
    everyLatest(listed, signal, onCount),
  );
  return (
    <>
      <title>All findings · Edgeposture</title>
      <PageHead title="All findings">Where findings stand now, over all accounts</PageHead>
      <search className={tools.tools} aria-label="Filter the findings">
        <QueryBox
          value={box}
          vocabulary={{
            categories,
            zones: [],
            checks: checks.data?.map(({ id }) => id) ?? [],
            leavesOut: false,
            lacks: ["status", "remediable", "exception"],
          }}
          onChange={(filters) => change(boxOf(filters), true)}
        />
        <AddFilter fields={fields} trigger={adder} />
        <ViewsTool page="findings" query={acrossView(search)} parse={acrossSearch} />
        <SortTool words={ACROSS_SORTS} sort={search.sort} onSort={sortBy} />
        <ColumnsTool table={table} onReset={() => change({ columns: undefined })} />
        {file.tool}
        <FilterChips fields={fields} trigger={adder} onClear={() => change(NO_ACROSS)} />
        {file.said}
      </search>
      <QueryError query={accounts} what="The accounts could not be loaded." />
      {accepted > 0 && search.exception === undefined && (
        <Banner
          title={`${plural(accepted, "finding")} accepted, not listed.`}
          actions={<Button onClick={() => change({ exception: "only" })}>Show the accepted</Button>}
        />
      )}
      {hidden !== undefined && (
        <p role="status">
          {plural(hidden, "finding")} accepted. See <Link to="/exceptions">the exceptions</Link>.
        </p>
      )}
      {!pages.isFetchNextPageError && <QueryStatus query={pages} of="findings" rows={12} />}
      {pages.isSuccess && items.length === 0 && (
        <None filtered={Object.keys(filter).length > 0} accepted={accepted} onClear={() => change(NO_ACROSS)} />
      )}
      {selected.any && (
        <SelectionBar
          selected={selected}
          total={pages.hasNextPage ? undefined : items.length}
          everything={{ filter }}
          onAccepted={setHidden}
        />
      )}
      {items.length > 0 && (
        <div className={pages.isPlaceholderData ? styles.stale : undefined} aria-busy={pages.isPlaceholderData}>
          <Grid
            ref={grid}
            table={table}
            items={items}
            total={pages.hasNextPage ? -1 : items.length}
            active={active}
            opened={undefined}
            selection={selected.selection}
            onMove={(index) => setCursor({ filterKey, index })}
            onOpen={(index) => {
              const finding = items[index];
              if (finding) void go({ to: "/a/$a/r/$r/findings/$id", params: params(finding) });
            }}
            onSelect={selected.turn}
            onSelectAll={selected.turnAll}
            onNearEnd={() => nearEnd(pages)}
          />
        </div>
      )}
      <NextPageError pages={pages} what={`Only the first ${integer(items.length)} findings are shown.`} />
    </>
  );
}

/** Which emptiness it is: a filter, everything accepted, or nothing open at all. */
function None({ filtered, accepted, onClear }: { filtered: boolean; accepted: number; onClear: () => void }) {
  if (filtered) {
    return (
      <Empty title="No finding matches the filters" action={<Button onClick={onClear}>Clear the filters</Button>} />
    );
  }
  if (accepted > 0) return <Empty title="Every open finding is accepted" />;
  return (
    <Empty title="No open finding" action={<Link to="/">All accounts</Link>}>
      Either no account was assessed so far, or every check that was judged passed.
    </Empty>
  );
}

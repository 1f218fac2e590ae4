import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Assessment, AttackPath, ChokePoint, PathsPage as Page } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { useSearchState } from "../../lib/useSearchState";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import type { CsvColumn } from "../../ui/csv";
import { DataTable } from "../../ui/DataTable";
import tableStyles from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ListTools } from "../../ui/ListTools";
import { More } from "../../ui/More";
import { NextPageError } from "../../ui/NextPage";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { useColumns } from "../../ui/useColumns";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import { fileWords } from "../exports/formats";
import { ViewsTool } from "../views/ViewsTool";
import { pathFields } from "./fields";
import { Least } from "./Least";
import styles from "./Paths.module.css";
import { entryOf, pathColumns } from "./pathColumns";
import { everyPath, pathsPages } from "./queries";
import { brokenBy, NO_FILTER, type PathsSearch, pathsSearch, SORT_WORDS, viewQuery } from "./search";
import { nodesOf } from "./words";

const route = getRouteApi("/a/$a/r/$r/paths");
const CHOKES = 5;

export function PathsPage() {
  const assessment = useAssessment();
  const [search, set] = useSearchState(route.useSearch(), true);
  const pages = useInfiniteQuery(pathsPages(assessment.id, search));
  const first = pages.data?.pages[0];
  return (
    <>
      <RunTitle of="Attack paths" />
      {!pages.data && <QueryStatus query={pages} of="attack paths" rows={10} />}
      {first?.all === 0 && <NoPath assessment={assessment} />}
      {first !== undefined && first.all > 0 && <Paths pages={pages} first={first} search={search} set={set} />}
    </>
  );
}

/** Only a run that could read everything can say that there is none. */
function NoPath({ assessment }: { assessment: Assessment }) {
  const gaps = assessment.status === "completed_with_gaps";
  return (
    <Empty title={gaps ? "No attack path in what could be read" : "No attack path"}>
      {gaps
        ? "Some of the account could not be read, and a path may lie there."
        : "No way from the internet to what should not be reached was found."}
    </Empty>
  );
}

interface Props {
  pages: UseInfiniteQueryResult<InfiniteData<Page>>;
  first: Page;
  search: PathsSearch;
  set: (part: PathsSearch) => void;
}

function Paths({ pages, first, search, set }: Props) {
  const { id, account, completedAt } = useAssessment();
  const rows = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  const node = useMemo(() => nodesOf(pages.data?.pages.flatMap(({ nodes }) => nodes) ?? []), [pages.data]);
  const alike = useMemo(
    () => new Map(pages.data?.pages.flatMap((page) => page.alike.map((one) => [one.pathId, one] as const))),
    [pages.data],
  );
  const told = [...alike.values()].reduce((sum, { others }) => sum + others, rows.length);
  const table = useColumns<AttackPath>({
    columns: pathColumns({ a: account.id, r: id }, node, alike),
    rows,
    search,
    set,
  });
  return (
    <>
      <Least assessmentId={id} />
      <Chokes points={first.chokePoints} total={first.all} />
      <ListTools
        of="attack paths"
        hint="Search title, explanation or check"
        search={search}
        set={set}
        fields={pathFields(search, first.kinds, node, set)}
        onClear={() => set(NO_FILTER)}
        sorts={SORT_WORDS}
        table={table}
        csv={{
          name: fileWords(account.name || account.id, completedAt, "attack-paths"),
          columns: CSV,
          rows: () => rowsOf(id, search),
        }}
        count={
          first.total === first.all
            ? plural(first.all, "attack path")
            : `${integer(first.total)} of ${plural(first.all, "attack path")}`
        }
      >
        <ViewsTool page="paths" query={viewQuery(search)} parse={pathsSearch} />
      </ListTools>
      {rows.length === 0 ? (
        <Empty
          title="No attack path matches the filters"
          action={<Button onClick={() => set(NO_FILTER)}>Clear the filters</Button>}
        />
      ) : (
        <DataTable caption="Attack paths" table={table} rowKey={({ id }) => id} busy={pages.isPlaceholderData} />
      )}
      <NextPageError pages={pages} what={`Only the first ${integer(told)} attack paths are shown.`} />
      {pages.hasNextPage && !pages.isFetchNextPageError && (
        <More onClick={() => pages.fetchNextPage()} left={first.total - told}>
          Show more
        </More>
      )}
    </>
  );
}

function Chokes({ points, total }: { points: ChokePoint[]; total: number }) {
  const [all, setAll] = useState(false);
  // A change that breaks one path of many is no choke point.
  const shared = points.filter(({ paths }) => total === 1 || paths > 1);
  const listed = all ? shared : shared.slice(0, CHOKES);
  return (
    <Panel title="Where one change breaks most">
      {shared.length === 0 && <p className="muted">No single change breaks more than one attack path.</p>}
      <ol className={styles.chokes}>
        {listed.map((point) => (
          <li key={`${point.nodeId} ${point.change}`}>
            <div className={styles.share}>
              <span className={styles.bar} aria-hidden="true">
                <span style={{ width: `${(100 * point.paths) / total}%` }} />
              </span>
              <span>
                removes {integer(point.paths)} of {integer(total)}
              </span>
            </div>
            <div className={styles.what}>
              <strong>{visible(point.change)}</strong>{" "}
              <span className={styles.links}>
                <Link from={route.id} search={brokenBy(point)} resetScroll={false}>
                  {point.paths === 1 ? "The path" : "The paths"} it breaks
                </Link>
                {point.findingIds.map((finding, i) => (
                  <Link key={finding} from={route.id} to="/a/$a/r/$r/findings" search={{ finding }}>
                    {point.findingIds.length === 1 ? "The finding" : `Finding ${i + 1}`}
                  </Link>
                ))}
                {point.remediable && <span className={tableStyles.tag}>plan to review</span>}
              </span>
            </div>
          </li>
        ))}
      </ol>
      {shared.length > listed.length && (
        <div>
          <Button onClick={() => setAll(true)}>Show all {integer(shared.length)}</Button>
        </div>
      )}
    </Panel>
  );
}

type Row = AttackPath & { entry: string; target: string };

async function rowsOf(assessmentId: string, search: PathsSearch): Promise<Row[]> {
  const { items, nodes } = await everyPath(assessmentId, search);
  const node = nodesOf(nodes);
  return items.map((path) => ({ ...path, entry: node(entryOf(path)).label, target: node(path.targetNodeId).label }));
}

const CSV: CsvColumn<Row>[] = [
  ["id", ({ id }) => id],
  ["severity", ({ severity }) => severity],
  ["title", ({ title }) => title],
  ["kind", ({ kind }) => kind],
  ["hops", ({ hopCount }) => String(hopCount)],
  ["entry", ({ entry }) => entry],
  ["target", ({ target }) => target],
  ["fixes", ({ breaks }) => breaks.map(({ change }) => change).join("; ")],
  ["finding_ids", ({ findingIds }) => findingIds.join(" ")],
];

import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Assessment, AttackPath, ChokePoint, PathsPage as Page } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { severityWord } from "../../lib/severity";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import filter from "../../ui/Filter.module.css";
import { More } from "../../ui/More";
import { Panel } from "../../ui/Panel";
import { SearchBox } from "../../ui/SearchBox";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Skeleton } from "../../ui/Skeleton";
import { useAssessment } from "../assessment/context";
import { Least } from "./Least";
import styles from "./Paths.module.css";
import { everyPath, pathsPages } from "./queries";
import type { PathsSearch } from "./search";
import { kindWord, nodesOf, type PathNode } from "./words";

const route = getRouteApi("/a/$a/r/$r/paths");
const CHOKES = 5;

type NodeOf = (id: string) => PathNode;

export function PathsPage() {
  const assessment = useAssessment();
  const { account } = assessment;
  const search = route.useSearch();
  const pages = useInfiniteQuery(pathsPages(assessment.id, search));
  const first = pages.data?.pages[0];
  return (
    <>
      <title>{`Attack paths of ${visible(account.name || account.id)} · Edgeposture`}</title>
      {pages.isPending && <Skeleton label="Loading the attack paths" rows={10} />}
      {pages.isError && !pages.data && (
        <ErrorPanel error={pages.error} what="The attack paths could not be loaded." onRetry={() => pages.refetch()} />
      )}
      {first?.all === 0 && <NoPath assessment={assessment} />}
      {first !== undefined && first.all > 0 && <Paths pages={pages} first={first} search={search} />}
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
}

function Paths({ pages, first, search }: Props) {
  const navigate = route.useNavigate();
  const assessment = useAssessment();
  const shown = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  const node = nodesOf(pages.data?.pages.flatMap(({ nodes }) => nodes) ?? []);
  const change = (part: PathsSearch, replace = false) =>
    navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false });
  return (
    <>
      <Least assessmentId={assessment.id} />
      <Chokes points={first.chokePoints} total={first.all} node={node} />
      <div className={filter.line}>
        <SearchBox
          label="Search in the attack paths"
          placeholder="Search title, explanation or check"
          value={search.q}
          onChange={(q) => change({ q }, true)}
        />
        <select
          aria-label="Severity"
          value={search.severity ?? ""}
          onChange={({ target }) => change({ severity: target.value || undefined })}
        >
          <option value="">Any severity</option>
          {["critical", "high"].map((severity) => (
            <option key={severity} value={severity}>
              {severityWord(severity)}
            </option>
          ))}
        </select>
        <select
          aria-label="Kind"
          value={search.kind ?? ""}
          onChange={({ target }) => change({ kind: target.value || undefined })}
        >
          <option value="">Any kind</option>
          {first.kinds.map((kind) => (
            <option key={kind} value={kind}>
              {kindWord(kind)}
            </option>
          ))}
        </select>
        {search.node !== undefined && (
          <Button onClick={() => change({ node: undefined })} aria-label="Show paths of every resource">
            through {visible(node(search.node).label)} ✕
          </Button>
        )}
        <CsvButton name="attack-paths" columns={CSV} rows={() => rowsOf(assessment.id, search)} />
        <p role="status" className={filter.count}>
          {first.total === first.all
            ? plural(first.all, "attack path")
            : `${integer(first.total)} of ${plural(first.all, "attack path")}`}
        </p>
      </div>
      {shown.length === 0 ? (
        <Empty
          title="No attack path matches the filters"
          action={
            <Button onClick={() => change({ severity: undefined, kind: undefined, node: undefined, q: undefined })}>
              Clear the filters
            </Button>
          }
        />
      ) : (
        <PathTable paths={shown} node={node} stale={pages.isPlaceholderData} />
      )}
      {pages.isFetchNextPageError && (
        <ErrorPanel
          error={pages.error}
          what={`Only the first ${integer(shown.length)} attack paths are shown.`}
          onRetry={() => pages.fetchNextPage()}
        />
      )}
      {pages.hasNextPage && !pages.isFetchNextPageError && (
        <More onClick={() => pages.fetchNextPage()} left={first.total - shown.length}>
          Show more
        </More>
      )}
    </>
  );
}

function Chokes({ points, total, node }: { points: ChokePoint[]; total: number; node: NodeOf }) {
  const [all, setAll] = useState(false);
  // A change that breaks one path of many is no choke point.
  const shared = points.filter(({ paths }) => total === 1 || paths > 1);
  const listed = all ? shared : shared.slice(0, CHOKES);
  return (
    <Panel title="Where one change breaks most">
      {shared.length === 0 && <p className={styles.muted}>No single change breaks more than one attack path.</p>}
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
                <Link from={route.id} search={{ node: point.nodeId }} resetScroll={false}>
                  Paths through {visible(node(point.nodeId).label)}
                </Link>
                {point.findingIds.map((finding, i) => (
                  <Link key={finding} from={route.id} to="/a/$a/r/$r/findings" search={{ finding }}>
                    {point.findingIds.length === 1 ? "The finding" : `Finding ${i + 1}`}
                  </Link>
                ))}
                {point.remediable && <span className={table.tag}>the service can do it</span>}
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

/** Every path starts at the internet; what it comes to first is what differs. */
const entryOf = ({ nodes, entryNodeId }: AttackPath) => nodes[1] ?? entryNodeId;

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

function PathTable({ paths, node, stale }: { paths: AttackPath[]; node: NodeOf; stale: boolean }) {
  return (
    <div className={table.frame} aria-busy={stale}>
      <table className={table.table}>
        <caption className="visually-hidden">Attack paths</caption>
        <thead>
          <tr>
            <th scope="col">Severity</th>
            <th scope="col">Attack path</th>
            <th scope="col">Hops</th>
            <th scope="col">Entry</th>
            <th scope="col">Target</th>
            <th scope="col">Fixes</th>
          </tr>
        </thead>
        <tbody>
          {paths.map((path) => (
            <tr key={path.id}>
              <td data-label="Severity">
                <SeverityBadge severity={path.severity} />
              </td>
              <td data-label="Attack path" className={table.text}>
                <Link from={route.id} to="/a/$a/r/$r/paths/$p" params={(before) => ({ ...before, p: path.id })}>
                  {visible(path.title)}
                </Link>
              </td>
              <td data-label="Hops">{integer(path.hopCount)}</td>
              <td data-label="Entry" className={table.text}>
                {visible(node(entryOf(path)).label)}
              </td>
              <td data-label="Target" className={table.text}>
                {visible(node(path.targetNodeId).label)}
              </td>
              <td data-label="Fixes">
                {integer(path.breaks.length)}
                {path.breaks.some(({ remediable }) => remediable) && <span className={table.tag}>can be applied</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

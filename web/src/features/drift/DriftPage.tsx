import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AssessmentSummary, Drift, DriftDifference } from "../../api/types";
import { change, integer, plural } from "../../lib/number";
import { resultWord } from "../../lib/result";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import filter from "../../ui/Filter.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { PlainTable } from "../../ui/PlainTable";
import { QueryStatus } from "../../ui/QueryStatus";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { ShowMore } from "../../ui/ShowMore";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { accountOf, accountsQuery } from "../account/queries";
import { NoRun } from "../assessment/NoRun";
import { allAssessments } from "../assessment/queries";
import { runBefore } from "./before";
import { CompareError, type RunChoice, RunOptions } from "./Compare";
import styles from "./Drift.module.css";
import { driftQuery } from "./queries";
import { Since } from "./Since";
import type { DriftSearch } from "./search";
import { isSame, type Section, sectionsOf } from "./sections";

const route = getRouteApi("/a/$a/drift");

/** What changed between two assessments of an account. */
export function DriftPage() {
  const { a } = route.useParams();
  const { from, to } = route.useSearch();
  const accounts = useQuery(accountsQuery);
  const list = useInfiniteQuery(allAssessments({ account: a }));
  const runs = list.data?.pages.flatMap((page) => page.assessments) ?? [];
  const current = to ?? runs.find(({ id }) => id !== from)?.id;
  // Without a choice it is the run before, or else one that looked at less, and the page says so.
  const baseline = from ?? (runBefore(runs, current) ?? runs[runs.findIndex(({ id }) => id === current) + 1])?.id;
  const name = visible(runs[0]?.account.name || accountOf(accounts.data, a)?.name || a);
  return (
    <>
      <title>{`Changes · ${name} · Edgeposture`}</title>
      <PageHead title="Changes" />
      <QueryStatus query={list} of="assessments" rows={8} />
      {list.data && runs.length === 0 && <NoRun account={a} />}
      {list.data && runs.length > 0 && (baseline === undefined || current === undefined) && (
        <Empty
          title="Nothing to compare yet"
          action={
            <Link to="/a/$a" params={{ a }}>
              Run an assessment
            </Link>
          }
        >
          Run a second assessment to see what changed.
        </Empty>
      )}
      {list.data && baseline !== undefined && current !== undefined && (
        <Compared
          account={a}
          runs={runs}
          baseline={baseline}
          current={current}
          more={list.hasNextPage}
          onMore={list.fetchNextPage}
        />
      )}
    </>
  );
}

interface ComparedProps {
  account: string;
  runs: AssessmentSummary[];
  baseline: string;
  current: string;
  more: boolean;
  onMore: () => void;
}

function Compared({ account, runs, baseline, current, more, onMore }: ComparedProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = (part: DriftSearch) =>
    navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const query = useQuery({ ...driftQuery(baseline, current), enabled: baseline !== current });
  // A run that is older than those of the list is known by its comparison.
  const known = query.data ? [query.data.baseline, query.data.current] : [];
  const older = known.filter((run) => !runs.some(({ id }) => id === run.id));
  const offered: RunChoice[] = [...runs, ...older.map(({ score, ...run }) => ({ ...run, score: { value: score } }))];
  const last = offered.find(({ id }) => id === current);
  return (
    <>
      <div className={filter.line}>
        <Choice label="Before" runs={offered} value={baseline} onChange={(from) => go({ from, to: current })} />
        <Choice label="After" runs={offered} value={current} onChange={(to) => go({ from: baseline, to })} />
        <Button onClick={() => go({ from: current, to: baseline })}>Swap</Button>
        <label className={filter.check}>
          <input
            type="checkbox"
            checked={search.only === "worse"}
            onChange={({ target }) => go({ only: target.checked ? "worse" : undefined })}
          />
          Only regressions
        </label>
        {/* The default changes with the next run, so what is shared names both. */}
        <CopyButton label="Copy link" text={() => linkTo(baseline, current, search)} />
        {more && <Button onClick={onMore}>Offer older assessments</Button>}
      </div>
      {last && <Since account={account} current={last} onChoose={(from) => go({ from, to: current })} />}
      {baseline === current && (
        <Empty title="The same assessment twice">Choose two different assessments to see what changed.</Empty>
      )}
      {query.isLoading && <Skeleton label="Comparing the assessments" rows={10} />}
      {query.isError && <CompareError error={query.error} onRetry={query.refetch} />}
      {query.data && <Outcome drift={query.data} search={search} onChange={go} />}
    </>
  );
}

function linkTo(from: string, to: string, { only, category }: DriftSearch): string {
  const url = new URL(window.location.href);
  url.search = new URLSearchParams({ from, to, ...(only && { only }), ...(category && { category }) }).toString();
  return url.href;
}

interface ChoiceProps {
  label: string;
  runs: RunChoice[];
  value: string;
  onChange: (id: string) => void;
}

function Choice({ label, runs, value, onChange }: ChoiceProps) {
  return (
    <label className={filter.check}>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <RunOptions runs={runs} chosen={value} />
      </select>
    </label>
  );
}

function Outcome({
  drift,
  search,
  onChange,
}: {
  drift: Drift;
  search: DriftSearch;
  onChange: (part: DriftSearch) => void;
}) {
  const { baseline, current } = drift;
  const sections = sectionsOf(drift, search);
  const filtered = search.only !== undefined || search.category !== undefined;
  const shown = sections.filter(({ entries }) => entries.length > 0);
  const withPaths = search.category === undefined;
  const { appeared, disappeared, unknown } = drift.paths;
  const paths = withPaths ? (search.only ? appeared.length : appeared.length + disappeared.length + unknown.length) : 0;
  return (
    <>
      {baseline.completedAt > current.completedAt && (
        <Banner title="The later assessment is compared with:">what is called new here was resolved in between.</Banner>
      )}
      {baseline.catalogueVersion !== current.catalogueVersion && (
        <Banner title="The catalogue of checks changed:">
          {baseline.catalogueVersion} before, {current.catalogueVersion} after. Some of this may come from that.
        </Banner>
      )}
      {drift.scoreNote !== undefined && (
        <Banner title="The scores are not compared:">
          {drift.scoreNote}.{(drift.apart ?? 0) > 0 && " What only one of them was asked to look at is in no list."}
        </Banner>
      )}
      {drift.unknown.length > 0 && (
        <Banner look="gap" title={`${plural(drift.unknown.length, "result")} became unreadable.`}>
          What could not be judged now is neither resolved nor regressed.
        </Banner>
      )}
      <Panel
        title="In short"
        aside={
          <CsvButton
            name="changes"
            columns={CSV}
            rows={() => sections.flatMap(({ title, entries }) => entries.map((entry) => ({ title, entry })))}
          />
        }
      >
        <ul className={styles.counts} aria-label="What changed">
          {sectionsOf(drift, { category: search.category }).map(({ list, title, entries }) => (
            <li key={list} className={list === "unknown" ? styles.gap : undefined}>
              <span className={styles.number}>{integer(entries.length)}</span>
              <span className="muted">{title}</span>
            </li>
          ))}
          <li>
            <span className={styles.number}>
              +{integer(appeared.length)} −{integer(disappeared.length)}
            </span>
            <span className="muted">Attack paths</span>
          </li>
        </ul>
        <p className="muted">
          Score {integer(baseline.score)} before, {integer(current.score)} after
          {drift.scoreDelta !== null && ` (${change(drift.scoreDelta)})`}. {plural(drift.unchanged, "finding")}{" "}
          unchanged
          {drift.regained > 0 && `, ${integer(drift.regained)} readable again and fine`}. Before:{" "}
          <When at={baseline.completedAt} />, after: <When at={current.completedAt} />.
        </p>
        <Categories drift={drift} chosen={search.category} onChange={(category) => onChange({ category })} />
      </Panel>
      {isSame(drift) && (
        <Empty title="Nothing changed">Both assessments say the same of everything that they judged.</Empty>
      )}
      {!isSame(drift) && shown.length === 0 && paths === 0 && (
        <Empty
          title={search.only ? "No regression" : "Nothing changed here"}
          action={
            filtered && (
              <Button onClick={() => onChange({ only: undefined, category: undefined })}>Show every change</Button>
            )
          }
        >
          {search.only && drift.unknown.length > 0 && "But not everything could be judged again."}
        </Empty>
      )}
      {withPaths && (
        <>
          <Paths title="Attack paths that appeared" paths={appeared} run={current.id} />
          {!search.only && (
            <>
              <Paths title="Attack paths that are gone" paths={disappeared} run={baseline.id} />
              <Paths title="Attack paths nobody can tell of" paths={unknown} run={baseline.id} />
            </>
          )}
        </>
      )}
      {shown.map((section) => (
        <Entries
          key={`${section.list} ${baseline.id} ${current.id}`}
          section={section}
          run={section.side === "current" ? current.id : baseline.id}
        />
      ))}
    </>
  );
}

/** One of what the page lists, under the title of its list. */
interface Listed {
  title: string;
  entry: DriftDifference;
}

const CSV: CsvColumn<Listed>[] = [
  ["change", ({ title }) => title],
  ["severity", ({ entry }) => entry.severity],
  ["check_id", ({ entry }) => entry.checkId],
  ["title", ({ entry }) => entry.title],
  ["message", ({ entry }) => entry.message],
  ["category", ({ entry }) => entry.category],
  ["resource", ({ entry }) => entry.resource.name],
  ["zone", ({ entry }) => entry.resource.zone ?? ""],
  ["before", ({ entry }) => entry.before],
  ["after", ({ entry }) => entry.after],
  ["reason", ({ entry }) => entry.reason ?? ""],
  [
    "changed_by",
    ({ entry }) => (entry.changedBy ?? []).map(({ actor, action, at }) => `${actor ?? ""} ${action} ${at}`).join("; "),
  ],
  ["finding_id", ({ entry }) => entry.id],
];

function Categories({
  drift,
  chosen,
  onChange,
}: {
  drift: Drift;
  chosen: string | undefined;
  onChange: (category: string | undefined) => void;
}) {
  const rows = Object.entries(drift.byCategory)
    .map(([name, n]) => ({ name, sum: n.new + n.regressed + n.improved + n.resolved + n.changed + n.unknown }))
    .filter(({ name, sum }) => sum > 0 || name === chosen)
    .sort((a, b) => b.sum - a.sum || a.name.localeCompare(b.name));
  if (rows.length === 0) return null;
  return (
    <fieldset className={styles.categories}>
      <legend className="visually-hidden">Category</legend>
      {rows.map(({ name, sum }) => (
        <Button
          key={name}
          aria-pressed={name === chosen}
          className={styles.category}
          onClick={() => onChange(name === chosen ? undefined : name)}
        >
          {name} <span className="muted">{integer(sum)}</span>
        </Button>
      ))}
    </fieldset>
  );
}

function Paths({ title, paths, run }: { title: string; paths: Drift["paths"]["appeared"]; run: string }) {
  if (paths.length === 0) return null;
  return (
    <Panel title={title} aside={<span className="muted">{integer(paths.length)}</span>}>
      <ul className={styles.paths}>
        {paths.map((path) => (
          <li key={path.id}>
            <SeverityBadge severity={path.severity} />
            <Link from={route.id} to="/a/$a/r/$r/paths/$p" params={(before) => ({ ...before, r: run, p: path.id })}>
              {visible(path.title)}
            </Link>
            {path.reason && <span className="muted">{visible(path.reason)}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Entries({ section, run }: { section: Section; run: string }) {
  const { title, meaning, entries } = section;
  return (
    <section className={styles.section} aria-label={title}>
      <h2>
        {title} <span className="muted">{integer(entries.length)}</span>
      </h2>
      <p className="muted">{meaning}</p>
      <ShowMore of={entries} word={["difference", "differences"]} step={100}>
        {(shown) => (
          <PlainTable caption={title} columns={["Severity", "Finding", "Resource", "Before, after", "Who changed it"]}>
            {shown.map((entry) => (
              <Row key={entry.id} entry={entry} run={run} />
            ))}
          </PlainTable>
        )}
      </ShowMore>
    </section>
  );
}

const before = (result: string) => (result === "" ? "not reported" : resultWord(result).toLowerCase());

function Row({ entry, run }: { entry: DriftDifference; run: string }) {
  return (
    <tr>
      <td data-label="Severity">
        <SeverityBadge severity={entry.severity} />
      </td>
      <td data-label="Finding" className={table.text}>
        <div>
          <Link
            from={route.id}
            to="/a/$a/r/$r/findings"
            params={(params) => ({ ...params, r: run })}
            search={{ finding: entry.id }}
          >
            {visible(entry.message || entry.title)}
          </Link>
          {entry.reason && <div className="muted">{visible(entry.reason)}</div>}
        </div>
      </td>
      <td data-label="Resource" className={table.text}>
        {visible(entry.resource.name)}
      </td>
      <td data-label="Before, after">
        {before(entry.before)} → {before(entry.after)}
      </td>
      <td data-label="Who changed it" className={table.text}>
        {entry.changedBy && entry.changedBy.length > 0 ? (
          <ul>
            {entry.changedBy.map((by) => (
              <li key={`${by.at} ${by.action} ${by.actor}`}>
                {visible(by.actor ?? "somebody")}: {visible(by.action)}
                {by.via && ` by ${visible(by.via.replaceAll("_", " "))}`}, <When at={by.at} />
              </li>
            ))}
          </ul>
        ) : (
          <span className="muted">not known</span>
        )}
      </td>
    </tr>
  );
}

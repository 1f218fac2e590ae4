import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import type { Assessment, AttackPath } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { severityWord } from "../../lib/severity";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import filter from "../../ui/Filter.module.css";
import { SearchBox } from "../../ui/SearchBox";
import { SeverityShape } from "../../ui/Shape";
import { Skeleton } from "../../ui/Skeleton";
import { useAssessment } from "../assessment/context";
import type { PostureGraph } from "../graph/columns";
import { graphQuery } from "../graph/queries";
import { NODE_TYPES, nodeWord } from "../graph/words";
import { ChangeMark } from "./ChangeMark";
import { CompareWith, type Comparing, ComparisonOutcome, useComparison } from "./Comparison";
import { type Tally, tallyOf } from "./changes";
import { withinHops } from "./engine/hops";
import { Scene } from "./engine/scene";
import { listed, maskOf } from "./filter";
import styles from "./Map.module.css";
import { MapCanvas, type MapHandle } from "./MapCanvas";
import { NodePanel } from "./NodePanel";
import { ResourceTable } from "./ResourceTable";
import { SaveView } from "./SaveView";
import { listParam, MAP_SEVERITIES, type MapSearch } from "./search";

const route = getRouteApi("/a/$a/r/$r/map");

const CLEAR: MapSearch = { hops: undefined, types: undefined, severity: undefined, zone: undefined, q: undefined };
const NO_NODES: readonly number[] = [];

export function MapPage() {
  const assessment = useAssessment();
  const { account } = assessment;
  const query = useQuery(graphQuery(assessment.id));
  return (
    <>
      <title>{`Map of ${visible(account.name || account.id)} · Edgeposture`}</title>
      {query.isPending && <Skeleton label="Loading the map" rows={4} tall />}
      {query.isError && (
        <ErrorPanel error={query.error} what="The map could not be loaded." onRetry={() => query.refetch()} />
      )}
      {query.data?.graph.ids.length === 0 && (
        <Empty title="Nothing to show on a map">No resource of the account could be read in this assessment.</Empty>
      )}
      {query.data && query.data.graph.ids.length > 0 && (
        <Posture assessment={assessment} graph={query.data.graph} paths={query.data.paths} />
      )}
    </>
  );
}

function Posture({ assessment, graph, paths }: { assessment: Assessment; graph: PostureGraph; paths: AttackPath[] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const map = useRef<MapHandle>(null);
  const panel = useRef<HTMLHeadingElement>(null);
  const find = useRef<HTMLInputElement>(null);
  const scene = useMemo(() => new Scene(graph), [graph]);
  const selected = search.node === undefined ? -1 : (graph.index.get(search.node) ?? -1);
  const hops = selected < 0 ? undefined : search.hops;
  const nearby = useMemo(
    () => (hops === undefined ? undefined : withinHops(scene, selected, Number(hops))),
    [scene, selected, hops],
  );
  const { types, severity, zone, q } = search;
  const mask = useMemo(
    () => maskOf(graph, { types, severity, zone, q }, nearby),
    [graph, types, severity, zone, q, nearby],
  );
  const comparison = useComparison(assessment, graph, search.against);
  const { changes } = comparison;
  const rows = useMemo(() => listed(graph, mask, changes), [graph, mask, changes]);
  const tally = useMemo(() => changes && tallyOf(changes, rows), [changes, rows]);
  const summary = summaryOf(graph, rows.length, paths.length, tally);
  const path = paths.find(({ id }) => id === search.path);
  const pathNodes = useMemo(() => path?.nodes.flatMap((id) => graph.index.get(id) ?? []) ?? NO_NODES, [path, graph]);
  const zoneNode = zone === undefined ? undefined : graph.index.get(`zone:${zone}`);

  const change = (part: MapSearch, replace = false) =>
    navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false });
  const close = () => change({ node: undefined, hops: undefined });
  const select = (node: number) => (node < 0 ? close() : change({ node: graph.ids[node] }, search.node !== undefined));

  return (
    <>
      <Toolbar graph={graph} search={search} paths={paths} find={find} comparison={comparison} onChange={change} />
      <p role="status" className={styles.muted}>
        {rows.length === graph.ids.length
          ? plural(rows.length, "resource")
          : `${integer(rows.length)} of ${plural(graph.ids.length, "resource")}`}
        {hops !== undefined && `, within ${plural(Number(hops), "hop")} of ${visible(graph.labels[selected] ?? "")}`}
        {path && `, attack path: ${visible(path.title)}`}
      </p>
      {search.against !== undefined && (
        <ComparisonOutcome assessment={assessment} comparison={comparison} tally={tally} />
      )}
      {search.path !== undefined && !path && (
        <p className={styles.muted}>This assessment has no attack path {visible(search.path)}.</p>
      )}
      <div className={styles.stage}>
        <div className={styles.left}>
          <MapCanvas
            ref={map}
            scene={scene}
            mask={mask}
            changes={changes}
            selected={selected}
            nearby={nearby ?? NO_NODES}
            path={pathNodes}
            zone={zoneNode}
            summary={summary}
            onSelect={select}
            onZone={(node) => {
              const id = graph.ids[node];
              if (id !== undefined) change({ zone: id.slice("zone:".length) });
              else map.current?.zoom(2);
            }}
            onOpen={() => panel.current?.focus()}
            onSearch={() => find.current?.focus()}
          />
          <div className={styles.tools}>
            <Button onClick={() => map.current?.zoom(1.5)} aria-label="Zoom in" title="Zoom in (+)">
              +
            </Button>
            <Button onClick={() => map.current?.zoom(1 / 1.5)} aria-label="Zoom out" title="Zoom out (-)">
              −
            </Button>
            <Button onClick={() => map.current?.showAll()} title="Show all (0)">
              All
            </Button>
            <SaveView map={map} assessment={assessment} summary={summary} />
          </div>
        </div>
        <aside className={styles.side} aria-label="Chosen resource">
          {search.node === undefined ? (
            <Legend compared={changes !== undefined} />
          ) : (
            <NodePanel
              key={search.node}
              id={search.node}
              graph={graph}
              paths={paths}
              heading={panel}
              changes={changes}
              hops={search.hops}
              onHops={(hops) => change({ hops })}
              onSelect={select}
              onClose={close}
            />
          )}
        </aside>
      </div>
      {rows.length === 0 ? (
        <Empty
          title="No resource matches the filters"
          action={<Button onClick={() => change(CLEAR)}>Clear the filters</Button>}
        />
      ) : (
        <ResourceTable graph={graph} rows={rows} changes={changes} selected={selected} onSelect={select} />
      )}
    </>
  );
}

function summaryOf(graph: PostureGraph, shown: number, paths: number, tally: Tally | undefined): string {
  const worst = graph.severities.indexOf("critical");
  const zone = graph.nodeTypes.indexOf("zone");
  const critical = graph.severity.reduce((n, s) => n + (s === worst ? 1 : 0), 0);
  const zones = graph.type.reduce((n, t) => n + (t === zone ? 1 : 0), 0);
  const changed = tally
    ? ` ${plural(tally.worse, "resource")} with new or worse findings, ${integer(tally.fixed)} with fixed ones.`
    : "";
  return `Map of ${plural(shown, "resource")} in ${plural(zones, "zone")}, ${integer(critical)} with a critical finding, ${plural(paths, "attack path")}.${changed} The table below lists the same resources.`;
}

function zonesOf(graph: PostureGraph): { id: string; label: string }[] {
  const zone = graph.nodeTypes.indexOf("zone");
  const out: { id: string; label: string }[] = [];
  for (let i = graph.type.indexOf(zone); i >= 0; i = graph.type.indexOf(zone, i + 1)) {
    out.push({ id: graph.ids[i]?.slice("zone:".length) ?? "", label: graph.labels[i] ?? "" });
  }
  return out.sort((a, b) => (a.label < b.label ? -1 : 1));
}

interface ToolbarProps {
  graph: PostureGraph;
  search: MapSearch;
  paths: AttackPath[];
  find: React.RefObject<HTMLInputElement | null>;
  comparison: Comparing;
  onChange: (part: MapSearch, replace?: boolean) => void;
}

function Toolbar({ graph, search, paths, find, comparison, onChange }: ToolbarProps) {
  const present = NODE_TYPES.filter((type) => {
    const t = graph.nodeTypes.indexOf(type);
    return t >= 0 && graph.type.includes(t);
  });
  const severities = search.severity?.split(",") ?? [];
  const zones = useMemo(() => zonesOf(graph), [graph]);
  return (
    <div className={filter.line}>
      <SearchBox
        ref={find}
        label="Search in the resources"
        placeholder="Search name or id"
        value={search.q}
        onChange={(q) => onChange({ q }, true)}
      />
      <select
        aria-label="Type of resource"
        value={search.types ?? ""}
        onChange={({ target }) => onChange({ types: target.value || undefined })}
      >
        <option value="">Every type</option>
        {/* A list of several comes by a link only. */}
        {search.types?.includes(",") && (
          <option value={search.types}>{search.types.split(",").map(nodeWord).join(", ")}</option>
        )}
        {present.map((type) => (
          <option key={type} value={type}>
            {nodeWord(type)}
          </option>
        ))}
      </select>
      <select
        aria-label="Zone"
        value={search.zone ?? ""}
        onChange={({ target }) => onChange({ zone: target.value || undefined })}
      >
        <option value="">Every zone</option>
        {zones.map(({ id, label }) => (
          <option key={id} value={id}>
            {visible(label)}
          </option>
        ))}
      </select>
      <select
        aria-label="Attack path"
        value={search.path ?? ""}
        onChange={({ target }) => onChange({ path: target.value || undefined })}
      >
        <option value="">No attack path</option>
        {paths.map(({ id, title }) => (
          <option key={id} value={id}>
            {visible(title)}
          </option>
        ))}
      </select>
      <CompareWith against={search.against} comparison={comparison} onChange={(against) => onChange({ against })} />
      <fieldset className={styles.toggles}>
        <legend className="visually-hidden">Severity</legend>
        {MAP_SEVERITIES.map((severity) => {
          const on = severities.includes(severity);
          return (
            <Button
              key={severity}
              className={styles.toggle}
              aria-pressed={on}
              onClick={() => {
                const words = on ? severities.filter((word) => word !== severity) : [...severities, severity];
                const known = MAP_SEVERITIES.filter((word) => words.includes(word));
                onChange({ severity: listParam(known, MAP_SEVERITIES) });
              }}
            >
              {severity !== "none" && <SeverityShape severity={severity} />}
              {severity === "none" ? "No finding" : severityWord(severity)}
            </Button>
          );
        })}
      </fieldset>
    </div>
  );
}

function Legend({ compared }: { compared: boolean }) {
  return (
    <>
      <h2>What the map shows</h2>
      <p>
        A ring is a zone: its parts are the shares of severities among its resources, the number in it is how many have
        a critical finding. Come closer, and it opens into its resources, each with the sign of its worst open finding.
      </p>
      <ul className={styles.legend}>
        {MAP_SEVERITIES.map((severity) => (
          <li key={severity}>
            {severity === "none" ? <span className={styles.clean} /> : <SeverityShape severity={severity} />}
            {severity === "none" ? "No open finding known" : severityWord(severity)}
          </li>
        ))}
        {compared && (
          <>
            <li>
              <ChangeMark kind="worse" /> New or worse findings
            </li>
            <li>
              <ChangeMark kind="fixed" /> Fixed findings
            </li>
          </>
        )}
      </ul>
      <p className={styles.muted}>
        Drag to move, turn the wheel to zoom, click to choose. Arrow keys go from resource to resource. What comes from
        the internet is drawn for the chosen resource only.
      </p>
    </>
  );
}

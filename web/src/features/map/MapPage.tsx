import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Assessment, AttackPath } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { severityWord } from "../../lib/severity";
import { toggled } from "../../lib/toggled";
import { chosenParam } from "../../lib/url";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import { Empty } from "../../ui/Empty";
import filter from "../../ui/Filter.module.css";
import { QueryStatus } from "../../ui/QueryStatus";
import { SeverityShape } from "../../ui/Shape";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import type { PostureGraph } from "../graph/columns";
import { graphQuery } from "../graph/queries";
import { NODE_TYPES, nodesTitle, nodeWord } from "../graph/words";
import { areasOf } from "./areas";
import { CompareWith, type Comparing, ComparisonOutcome, useComparison } from "./Comparison";
import { tallyOf } from "./changes";
import { connectionsOf } from "./connections";
import { Find } from "./Find";
import { FlowChart, Legend } from "./FlowChart";
import { listed, maskOf } from "./filter";
import { type Card, type Focus, flowOf, openWords, placed } from "./flow";
import styles from "./Map.module.css";
import { NodePanel } from "./NodePanel";
import { csvOfNodes, ResourceTable } from "./ResourceTable";
import { SaveView } from "./SaveView";
import { SumPanel } from "./SumPanel";
import { MAP_SEVERITIES, type MapSearch } from "./search";
import { Treemap } from "./Treemap";
import { titleOf } from "./title";

const route = getRouteApi("/a/$a/r/$r/map");

const WHOLE: MapSearch = { node: undefined, path: undefined, group: undefined, zone: undefined, direct: undefined };
const CLEAR: MapSearch = { ...WHOLE, types: undefined, severity: undefined, q: undefined, skip: undefined };

export function MapPage() {
  const assessment = useAssessment();
  const query = useQuery(graphQuery(assessment.id));
  const { node, path, group, zone } = route.useSearch();
  const whole = (node ?? path ?? group ?? zone) === undefined;
  const drawable = query.isPending || (query.data && query.data.graph.ids.length > 0);
  return (
    <>
      <RunTitle of="Map" />
      {whole && drawable && (
        <p className="muted">
          Each tile is a zone, or the resources of one type in no zone; the larger, the riskier. Choose one to see what
          the internet reaches in it.
        </p>
      )}
      <QueryStatus query={query} of="map" rows={4} tall />
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
  const asked = route.useSearch();
  const search = useMemo(() => placed(graph, asked), [graph, asked]);
  const navigate = route.useNavigate();
  const drawing = useRef<HTMLDivElement>(null);
  const connections = useMemo(() => connectionsOf(graph), [graph]);
  const { types, severity, zone, group, q } = search;
  const whole = useMemo(
    () => maskOf(graph, { types, severity, zone, group, q }),
    [graph, types, severity, zone, group, q],
  );
  const comparison = useComparison(assessment, graph, search.against);
  const { changes } = comparison;
  const path = paths.find(({ id }) => id === search.path);
  const focus = useMemo(
    () => focusOf(graph, { node: search.node, zone, group }, path),
    [graph, search.node, zone, group, path],
  );
  const flow = useMemo(
    () => focus && flowOf(graph, connections, focus, search.direct === "yes"),
    [graph, connections, focus, search.direct],
  );
  const inPlace = zone !== undefined || group !== undefined;
  // A flow of one resource or path has few, and the table lists those.
  const mask = useMemo(
    () =>
      flow && !inPlace
        ? onlyOf(
            whole,
            flow.cards.flatMap(({ nodes }) => nodes),
          )
        : whole,
    [whole, flow, inPlace],
  );
  const rows = useMemo(() => listed(graph, mask, changes), [graph, mask, changes]);
  const tally = useMemo(() => changes && tallyOf(changes, rows), [changes, rows]);
  const areas = useMemo(() => (focus ? [] : areasOf(graph, mask, changes)), [focus, graph, mask, changes]);
  const [sum, setSum] = useState<{ of: typeof flow; card: Card }>();
  const listing = sum?.of === flow ? sum?.card : undefined;

  const change = (part: MapSearch, replace = false) =>
    navigate({ search: (before) => ({ ...before, zone, ...part }), replace, resetScroll: false });
  const close = () => change({ node: undefined });
  const alone = (node: number): MapSearch => {
    const id = graph.ids[node] ?? "";
    const isZone = graph.nodeTypes[graph.type[node] ?? 0] === "zone";
    return { ...WHOLE, q: undefined, ...(isZone ? { zone: id.slice("zone:".length) } : { node: id }) };
  };
  const show = (node: number) => void change(alone(node));
  const beside = (node: number): MapSearch => ({ zone, node: graph.ids[node] });
  const opened = listing
    ? listing.id
    : flow?.cards.find(({ nodes }) => search.node !== undefined && nodes.some((i) => graph.ids[i] === search.node))?.id;
  const open = useCallback(
    (card: Card) => {
      const [only, more] = card.nodes;
      if (card.label === "" && more !== undefined) setSum({ of: flow, card });
      else {
        setSum(undefined);
        const host = card.nodes.find((i) => graph.nodeTypes[graph.type[i] ?? 0] === card.type) ?? only ?? -1;
        const id = graph.ids[host];
        void navigate({ search: (before) => ({ ...before, zone, node: id }), resetScroll: false });
      }
    },
    [flow, graph, navigate, zone],
  );

  const name = nameOf(graph, search, path);
  const summary = flow
    ? `Flow of ${name} from left to right: ${flow.cards
        .map((card) => visible(titleOf(graph, card)))
        .slice(0, 12)
        .join(", ")}. The table below lists the resources.`
    : `Map of ${plural(rows.length, "resource")} in ${plural(areas.length, "area")}, the riskiest first, ${plural(paths.length, "attack path")}. The table below lists the same resources.`;
  return (
    <>
      <div className={filter.line}>
        <Find graph={graph} value={q} onChange={(q) => change({ q }, true)} onChoose={show} />
        <Toolbar graph={graph} search={search} comparison={comparison} onChange={change} />
      </div>
      {search.against !== undefined && (
        <ComparisonOutcome assessment={assessment} comparison={comparison} tally={tally} />
      )}
      {search.path !== undefined && !path && (
        <p className="muted">This assessment has no attack path {visible(search.path)}.</p>
      )}
      {flow ? (
        <div className={styles.focus}>
          <Button onClick={() => change(WHOLE)}>← All zones</Button>
          <h2>{name}</h2>
          <PathChoice
            graph={graph}
            flow={flow.cards}
            paths={paths}
            chosen={path}
            onChange={(path) => change({ path })}
          />
          {(flow.direct > 0 || search.direct) && (
            <Button
              aria-pressed={search.direct === "yes"}
              onClick={() => change({ direct: search.direct ? undefined : "yes" })}
            >
              Only past Cloudflare
            </Button>
          )}
          <p role="status" className={styles.said}>
            {openWords(flow, zone !== undefined && assessment.coverage.unknown === 0)}
          </p>
          <Legend path={path !== undefined} />
        </div>
      ) : (
        <p role="status" className="muted">
          {rows.length === graph.ids.length
            ? plural(rows.length, "resource")
            : `${integer(rows.length)} of ${plural(graph.ids.length, "resource")}`}
        </p>
      )}
      {rows.length === 0 && !flow ? (
        <Empty
          title="No resource matches the filters"
          action={<Button onClick={() => change(CLEAR)}>Clear the filters</Button>}
        />
      ) : (
        <>
          <div className={search.node === undefined && !listing ? styles.stage : styles.split}>
            <div ref={drawing} className={styles.drawing}>
              {flow ? (
                flow.cards.length > 0 ? (
                  <FlowChart
                    graph={graph}
                    flow={flow}
                    changes={changes}
                    opened={opened}
                    summary={summary}
                    onOpen={open}
                  />
                ) : (
                  <p className={styles.nothing}>
                    {search.direct ? "No host leads past Cloudflare." : "No traffic leads to it or from it."}
                  </p>
                )
              ) : (
                <Treemap areas={areas} skip={Number(search.skip ?? 0)} summary={summary} />
              )}
            </div>
            {listing ? (
              <aside className={styles.side} aria-label="Resources of a card">
                <SumPanel graph={graph} card={listing} partOf={alone} onClose={() => setSum(undefined)} />
              </aside>
            ) : (
              search.node !== undefined && (
                <aside className={styles.side} aria-label="Chosen resource">
                  <NodePanel
                    key={search.node}
                    id={search.node}
                    graph={graph}
                    connections={connections}
                    paths={paths}
                    changes={changes}
                    partOf={inPlace ? beside : alone}
                    replace={inPlace}
                    onAlone={inPlace ? show : undefined}
                    onClose={close}
                  />
                </aside>
              )
            )}
          </div>
          <div className={styles.tools}>
            {search.skip !== undefined && !flow && (
              <Button onClick={() => change({ skip: undefined })}>← The riskiest areas</Button>
            )}
            <SaveView drawing={drawing} assessment={assessment} summary={summary} />
            <CsvButton name="resources" columns={csvOfNodes(graph)} rows={() => Array.from(rows)} />
          </div>
          <ResourceTable
            graph={graph}
            rows={rows}
            changes={changes}
            selected={search.node === undefined ? -1 : (graph.index.get(search.node) ?? -1)}
            partOf={alone}
          />
        </>
      )}
    </>
  );
}

function onlyOf(mask: Uint8Array, nodes: readonly number[]): Uint8Array {
  const out = new Uint8Array(mask.length);
  for (const i of nodes) out[i] = mask[i] ?? 0;
  return out;
}

/** What the address asks to see; nothing is the whole account. */
function focusOf(graph: PostureGraph, search: MapSearch, path: AttackPath | undefined): Focus | undefined {
  const nodes = path?.nodes.flatMap((id) => graph.index.get(id) ?? []) ?? [];
  const zone = search.zone === undefined ? undefined : (graph.index.get(`zone:${search.zone}`) ?? -2);
  const node = search.node === undefined ? undefined : graph.index.get(search.node);
  const type = node === undefined ? "" : graph.nodeTypes[graph.type[node] ?? 0];
  if (zone === undefined && search.group === undefined && (type === "account" || type === "finding")) return undefined;
  if (zone === undefined && search.group === undefined && node === undefined && nodes.length === 0) return undefined;
  return { zone, group: search.group, node, path: nodes };
}

function nameOf(graph: PostureGraph, { zone, group, node }: MapSearch, path: AttackPath | undefined): string {
  const labelOf = (id: string) => graph.labels[graph.index.get(id) ?? -1] ?? id;
  if (zone !== undefined) return visible(labelOf(`zone:${zone}`));
  if (group !== undefined) return nodesTitle(group);
  return visible(node === undefined ? (path?.title ?? "") : labelOf(node));
}

interface ToolbarProps {
  graph: PostureGraph;
  search: MapSearch;
  comparison: Comparing;
  onChange: (part: MapSearch) => void;
}

function Toolbar({ graph, search, comparison, onChange }: ToolbarProps) {
  const present = useMemo(() => {
    const types = new Set(graph.type);
    return NODE_TYPES.filter((type) => types.has(graph.nodeTypes.indexOf(type)));
  }, [graph]);
  const severities = search.severity?.split(",") ?? [];
  return (
    <>
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
                onChange({ severity: chosenParam(toggled(severities, severity), MAP_SEVERITIES) });
              }}
            >
              {severity !== "none" && <SeverityShape severity={severity} />}
              {severity === "none" ? "No finding" : severityWord(severity)}
            </Button>
          );
        })}
      </fieldset>
      <CompareWith against={search.against} comparison={comparison} onChange={(against) => onChange({ against })} />
    </>
  );
}

const PATHS_SHOWN = 50;

interface PathChoiceProps {
  graph: PostureGraph;
  flow: Card[];
  paths: AttackPath[];
  chosen: AttackPath | undefined;
  onChange: (path: string | undefined) => void;
}

/** The attack paths that go over what is shown. */
function PathChoice({ graph, flow, paths, chosen, onChange }: PathChoiceProps) {
  const over = useMemo(() => {
    const shown = new Set(flow.flatMap(({ nodes }) => nodes));
    // A path over the entry and the target alone is not one of this flow.
    return paths.filter(({ nodes }) => {
      const own = nodes.flatMap((id) => graph.index.get(id) ?? []);
      return own.length > 0 && own.slice(1).every((i) => shown.has(i));
    });
  }, [graph, flow, paths]);
  if (over.length === 0 && !chosen) return null;
  const few = over.slice(0, PATHS_SHOWN);
  return (
    <select
      aria-label="Attack path"
      value={chosen?.id ?? ""}
      onChange={({ target }) => onChange(target.value || undefined)}
    >
      <option value="">{plural(over.length, "attack path")}: none drawn</option>
      {(chosen && !few.includes(chosen) ? [chosen, ...few] : few).map(({ id, title }) => (
        <option key={id} value={id}>
          {visible(title)}
        </option>
      ))}
    </select>
  );
}

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { AttackPath } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { QueryError } from "../../ui/QueryStatus";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { SeverityShape } from "../../ui/Shape";
import { Skeleton } from "../../ui/Skeleton";
import { useAssessment } from "../assessment/context";
import { nodeOf, type PostureGraph } from "../graph/columns";
import { findingsBy } from "../graph/queries";
import { edgeWord, nodeWord } from "../graph/words";
import type { Changes } from "./changes";
import { type Connections, neighboursOf } from "./connections";
import { findingsFilter } from "./filter";
import { foundWords } from "./flow";
import styles from "./Map.module.css";
import { NodeLink } from "./NodeLink";
import type { MapSearch } from "./search";

const route = getRouteApi("/a/$a/r/$r/map");
const SHOWN = 12;

interface Props {
  id: string;
  graph: PostureGraph;
  connections: Connections;
  paths: AttackPath[];
  changes: Changes | undefined;
  /** What of the address shows a resource. */
  partOf: (node: number) => MapSearch;
  /** One after another beside the same drawing: the way back leads to before the first. */
  replace: boolean;
  /** Shows the resource without what it lies in; absent when it is shown so. */
  onAlone: ((node: number) => void) | undefined;
  onClose: () => void;
}

export function NodePanel({ id, graph, connections, paths, changes, partOf, replace, onAlone, onClose }: Props) {
  const known = graph.index.get(id);
  const node = nodeOf(graph, id);
  const found = node.findings + node.unknown;
  const neighbours = useMemo(
    () => (known === undefined ? [] : neighboursOf(graph, connections, known)),
    [graph, connections, known],
  );
  const [more, setMore] = useState(false);
  const through = paths.filter((path) => path.nodes.includes(id));
  return (
    <>
      <div className={styles.panelHead}>
        <h2>{visible(node.label)}</h2>
        <Button look="quiet" onClick={onClose} aria-label="Close the resource">
          ✕
        </Button>
      </div>
      {known === undefined ? (
        <p>
          This assessment has no resource <code>{visible(id)}</code>.
        </p>
      ) : (
        <>
          <p className="muted">
            {nodeWord(node.type)}, {foundWords(node.findings, node.unknown)}
          </p>
          {changes && (
            <p className="muted">
              {plural(changes.worse[known] ?? 0, "finding")} new or regressed, {integer(changes.fixed[known] ?? 0)}{" "}
              resolved since the other run.
            </p>
          )}
          <p>
            <code>{visible(id)}</code> <CopyButton label="Copy id" text={() => id} />
          </p>
          {onAlone && <Button onClick={() => onAlone(known)}>Show what leads to it and from it</Button>}
          {found > 0 && <NodeFindings id={id} label={node.label} count={found} />}
          {through.length > 0 && (
            <>
              <h3>{plural(through.length, "attack path")}</h3>
              <ul className={styles.list}>
                {through.slice(0, SHOWN).map((path) => (
                  <li key={path.id}>
                    <SeverityShape severity={path.severity} />
                    <Link from={route.id} search={(before) => ({ ...before, path: path.id })} resetScroll={false}>
                      {visible(path.title)}
                    </Link>
                  </li>
                ))}
              </ul>
              <Link from={route.id} to="/a/$a/r/$r/paths" search={{ node: id }}>
                All paths through it
              </Link>
            </>
          )}
          <h3>{plural(neighbours.length, "neighbour")}</h3>
          <ul className={styles.list}>
            {neighbours.slice(0, more ? 200 : SHOWN).map(({ node: other, edgeType, out }) => (
              <li key={`${other} ${edgeType} ${out}`}>
                <span className={styles.edge}>
                  {out ? "→" : "←"} {edgeWord(edgeType)}
                </span>
                <NodeLink label={graph.labels[other]} part={partOf(other)} replace={replace} />
              </li>
            ))}
          </ul>
          {neighbours.length > SHOWN && !more && (
            <Button onClick={() => setMore(true)}>Show {integer(Math.min(200, neighbours.length))}</Button>
          )}
        </>
      )}
    </>
  );
}

function NodeFindings({ id, label, count }: { id: string; label: string; count: number }) {
  const assessment = useAssessment();
  // A finding that is a node of its own carries its id.
  const own = id.startsWith("finding:") ? id.slice("finding:".length) : undefined;
  const filter = findingsFilter(id, label);
  const query = useQuery({
    queryKey: ["findings", assessment.id, "node", id],
    queryFn: ({ signal }) => findingsBy(assessment.id, filter, ({ nodeId }) => nodeId === id, signal),
    enabled: own === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const items = query.data ?? [];
  return (
    <>
      <h3>Findings</h3>
      {own !== undefined && (
        <Link from={route.id} to="/a/$a/r/$r/findings" search={{ finding: own }}>
          Open the finding
        </Link>
      )}
      {query.isLoading && <Skeleton label="Loading the findings" rows={Math.min(4, count)} />}
      <QueryError query={query} what="The findings could not be loaded." />
      <ul className={styles.list} aria-label="Findings">
        {items.slice(0, SHOWN).map((finding) => (
          <li key={finding.id}>
            <SeverityBadge severity={finding.severity} />
            <Link from={route.id} to="/a/$a/r/$r/findings" search={{ finding: finding.id }}>
              {visible(finding.title)}
            </Link>
            {finding.result === "UNKNOWN" && <span className="muted">not assessed</span>}
          </li>
        ))}
      </ul>
      {query.data && count > Math.min(SHOWN, items.length) && (
        <p className="muted">
          {integer(Math.min(SHOWN, items.length))} of {integer(count)} shown.{" "}
          <Link
            from={route.id}
            to="/a/$a/r/$r/findings"
            search={filter.zone !== undefined ? { zone: filter.zone } : filter.q !== undefined ? { q: filter.q } : {}}
          >
            Look in the findings
          </Link>
        </p>
      )}
    </>
  );
}

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Fragment } from "react";
import type { AttackPath, Finding } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { ButtonLink } from "../../ui/ButtonLink";
import { Empty } from "../../ui/Empty";
import { Panel } from "../../ui/Panel";
import { QueryError, QueryStatus } from "../../ui/QueryStatus";
import { ResultMark } from "../../ui/ResultMark";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { SeverityShape } from "../../ui/Shape";
import { Skeleton } from "../../ui/Skeleton";
import { Tag } from "../../ui/Tag";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import { findingQuery } from "../findings/queries";
import { edgeWord, nodeWord } from "../graph/words";
import { useMay } from "../session/queries";
import styles from "./Paths.module.css";
import { pathQuery } from "./queries";
import { kindWord, nodesOf, type PathNode } from "./words";

const route = getRouteApi("/a/$a/r/$r/paths/$p");

export function PathPage() {
  const { p } = route.useParams();
  const assessment = useAssessment();
  const query = useQuery(pathQuery(assessment.id, p));
  const path = query.data?.items[0];
  return (
    <>
      <RunTitle of={path ? visible(path.title) : "Attack path"} />
      {!path && <h1>Attack path</h1>}
      <QueryStatus query={query} of="attack path" rows={8} />
      {query.data && !path && (
        <Empty title="No such attack path here">
          This assessment has no attack path <code>{visible(p)}</code>. It may be broken by now, or another assessment
          of the account may have it.
        </Empty>
      )}
      {query.data && path && <Path path={path} node={nodesOf(query.data.nodes)} />}
    </>
  );
}

/** Each by its id: the list of its check can have tens of thousands. */
function usePathFindings(path: AttackPath) {
  const { id } = useAssessment();
  return useQuery({
    queryKey: ["findings", id, "path", path.id],
    queryFn: async ({ client }) => {
      const found = await Promise.all(path.findingIds.map((one) => client.fetchQuery(findingQuery(id, one))));
      return found.filter((one) => one !== null);
    },
    enabled: path.findingIds.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

type NodeOf = (id: string) => PathNode;

function Path({ path, node }: { path: AttackPath; node: NodeOf }) {
  const { a } = route.useParams();
  const able = useMay()("remediator", a);
  const findings = usePathFindings(path);
  const items = findings.data ?? [];
  return (
    <>
      <header className={styles.title}>
        <SeverityBadge severity={path.severity} />
        <h1>{visible(path.title)}</h1>
        <span className="muted">
          {kindWord(path.kind)}, {plural(path.hopCount, "hop")}
        </span>
        <Link from={route.id} to="/a/$a/r/$r/map" search={{ path: path.id }}>
          Show on the map
        </Link>
        {path.breaks.some(({ remediable }) => remediable) && able && (
          <ButtonLink
            from={route.id}
            to="/a/$a/r/$r/remediation"
            search={{ path: path.id, now: "yes" }}
            look="primary"
            className={styles.fix}
          >
            Fix
          </ButtonLink>
        )}
      </header>
      <p className={styles.prose}>{visible(path.explanation)}</p>
      {path.severityReason && <p className={styles.prose}>{visible(path.severityReason)}</p>}
      <Chain path={path} node={node} findings={items} />
      <div className={styles.two}>
        <Panel title="What breaks this path">
          <ul className={styles.breaks}>
            {path.breaks.map((cut) => (
              <li key={`${cut.nodeId} ${cut.change}`}>
                <strong>{visible(cut.change)}</strong>
                <span className={styles.links}>
                  <span className="muted">at {visible(node(cut.nodeId).label)}</span>
                  {cut.checkIds.map((check) => (
                    <Link key={check} from={route.id} to="/a/$a/r/$r/findings" search={{ q: check }}>
                      <code>{check}</code>
                    </Link>
                  ))}
                  {cut.remediable && <Tag>plan to review</Tag>}
                </span>
              </li>
            ))}
          </ul>
          <p className="muted">
            {path.breaks.length === 0
              ? "No single change is known that breaks it."
              : "Each of these alone breaks the path."}
          </p>
        </Panel>
        <Panel title="Findings behind it">
          {path.findingIds.length === 0 && (
            <p className="muted">No finding of its own: the path follows from configuration that was read.</p>
          )}
          {findings.isLoading && <Skeleton label="Loading the findings" rows={path.findingIds.length} />}
          <QueryError query={findings} what="The findings could not be loaded." />
          <ul className={styles.findings}>
            {items.map((finding) => (
              <li key={finding.id}>
                <SeverityBadge severity={finding.severity} />
                <ResultMark result={finding.result} />
                <Link from={route.id} to="/a/$a/r/$r/findings" search={{ finding: finding.id }}>
                  {visible(finding.message)}
                </Link>
              </li>
            ))}
          </ul>
          {items.some(({ severity }) => severity !== path.severity) && (
            <p className="muted">
              A finding's severity is of what it allows by itself, that of the path of what lies at its end.
            </p>
          )}
          {findings.data && items.length < path.findingIds.length && (
            <p className="muted">
              {plural(path.findingIds.length - items.length, "finding")} of this path could not be found in the
              assessment.
            </p>
          )}
        </Panel>
      </div>
    </>
  );
}

const LONG = 5;

/** The hops in order. Every node is a link, every arrow says what kind of step it is. */
function Chain({ path, node: nodeOf, findings }: { path: AttackPath; node: NodeOf; findings: Finding[] }) {
  return (
    <ol
      className={path.nodes.length > LONG ? styles.down : styles.chain}
      aria-label="Hops from the entry to the target"
    >
      {path.nodes.map((id, i) => {
        const node = nodeOf(id);
        const edge = path.edges[i - 1];
        const here = findings.filter(({ nodeId }) => nodeId === id);
        const cuts = path.breaks.filter(({ nodeId }) => nodeId === id).length;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a path may come to a node twice, and hops never move
          <Fragment key={i}>
            {edge && (
              <li className={styles.arrow}>
                <span>{edgeWord(edge.type)}</span>
                <svg viewBox="0 0 48 8" aria-hidden="true">
                  <path d="M0 4h42M38 .8 43 4 38 7.2" />
                </svg>
              </li>
            )}
            <li className={styles.node}>
              <span className={styles.kind}>
                {i === 0 ? "Entry" : id === path.targetNodeId ? "Target" : `Hop ${i}`} · {nodeWord(node.type)}
              </span>
              <Link from={route.id} to="/a/$a/r/$r/map" search={{ node: id, path: path.id }} className={styles.name}>
                {node.severity !== "none" && <SeverityShape severity={node.severity} />}
                {visible(node.label)}
              </Link>
              {here.map((finding) => (
                <Link
                  key={finding.id}
                  from={route.id}
                  to="/a/$a/r/$r/findings"
                  search={{ finding: finding.id }}
                  className={styles.check}
                >
                  {finding.checkId}
                </Link>
              ))}
              {cuts > 0 && <span className={styles.cut}>can be broken here</span>}
            </li>
          </Fragment>
        );
      })}
    </ol>
  );
}

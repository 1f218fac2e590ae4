import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AssessmentSummary, AttackPath } from "../../api/types";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Panel } from "../../ui/Panel";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Skeleton } from "../../ui/Skeleton";
import { graphQuery } from "../graph/queries";
import { chokePoints, matching } from "../paths/choke";
import styles from "./Table.module.css";

const SHOWN = 3;

/** The worst attack paths, and the one change that breaks most. */
export function TopPaths({ summary }: { summary: AssessmentSummary }) {
  // The paths come with the whole graph, so they are asked for only where there are any.
  const graph = useQuery({ ...graphQuery(summary.id), enabled: summary.attackPaths > 0 });
  const params = { a: summary.account.id, r: summary.id };
  return (
    <Panel
      title="Attack paths"
      aside={
        <Link to="/a/$a/r/$r/paths" params={params}>
          All {integer(summary.attackPaths)}
        </Link>
      }
    >
      {summary.attackPaths === 0 && (
        <p className={styles.muted}>
          {summary.status === "completed_with_gaps"
            ? "None in what could be read. A path may lie in the rest."
            : "None was found."}
        </p>
      )}
      {graph.isLoading && <Skeleton label="Loading the attack paths" rows={SHOWN} />}
      {graph.isError && (
        <ErrorPanel error={graph.error} what="The attack paths could not be loaded." onRetry={() => graph.refetch()} />
      )}
      {graph.data && <Top paths={graph.data.paths} params={params} />}
    </Panel>
  );
}

function Top({ paths, params }: { paths: AttackPath[]; params: { a: string; r: string } }) {
  const [choke] = chokePoints(paths);
  return (
    <>
      <table className={styles.table}>
        <caption className="visually-hidden">The worst attack paths</caption>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">Severity</th>
            <th scope="col">Attack path</th>
          </tr>
        </thead>
        <tbody>
          {matching(paths, {})
            .slice(0, SHOWN)
            .map((path) => (
              <tr key={path.id}>
                <td>
                  <SeverityBadge severity={path.severity} />
                </td>
                <td className={styles.cut}>
                  <Link to="/a/$a/r/$r/paths/$p" params={{ ...params, p: path.id }} title={visible(path.title)}>
                    {visible(path.title)}
                  </Link>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      {choke && (
        <p className={styles.wrap}>
          One change breaks{" "}
          <Link to="/a/$a/r/$r/paths" params={params} search={{ node: choke.nodeId }}>
            {integer(choke.paths.length)} of {integer(paths.length)}
          </Link>
          : {visible(choke.change)}
        </p>
      )}
    </>
  );
}

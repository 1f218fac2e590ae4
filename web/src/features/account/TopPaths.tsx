import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AssessmentSummary, PathsPage } from "../../api/types";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { firstPaths } from "../paths/queries";
import { brokenBy } from "../paths/search";
import styles from "./Table.module.css";

const SHOWN = 3;

/** The worst attack paths, and the one change that breaks most. */
export function TopPaths({ summary }: { summary: AssessmentSummary }) {
  const first = useQuery({ ...firstPaths(summary.id, SHOWN), enabled: summary.attackPaths > 0 });
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
      {summary.attackPaths === 0 ? (
        <p className="muted">
          {summary.status === "completed_with_gaps"
            ? "None in what could be read. A path may lie in the rest."
            : "None was found."}
        </p>
      ) : (
        <QueryStatus query={first} of="attack paths" rows={SHOWN} />
      )}
      {first.data && <Top page={first.data} total={summary.attackPaths} params={params} />}
    </Panel>
  );
}

function Top({ page, total, params }: { page: PathsPage; total: number; params: { a: string; r: string } }) {
  const [choke] = page.chokePoints;
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
          {page.items.map((path) => (
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
      {choke && choke.paths > 1 && (
        <p className={styles.wrap}>
          One change breaks{" "}
          <Link to="/a/$a/r/$r/paths" params={params} search={brokenBy(choke)}>
            {integer(choke.paths)} of {integer(total)}
          </Link>
          : {visible(choke.change)}
        </p>
      )}
    </>
  );
}

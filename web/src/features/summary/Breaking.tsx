import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Assessment, PathsPage } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { firstPaths } from "../paths/queries";
import { brokenBy } from "../paths/search";
import { cover } from "./cover";
import styles from "./Summary.module.css";

/** What one page of paths holds: of so many it is known which changes break the same ones. */
const PAGE = 100;
const CHANGES = 3;

/** The few changes that break the most attack paths. */
export function Breaking({ assessment }: { assessment: Assessment }) {
  const { attackPaths, id, account, status } = assessment;
  const few = attackPaths <= PAGE;
  const query = useQuery({ ...firstPaths(id, few ? PAGE : 1), enabled: attackPaths > 0 });
  const params = { a: account.id, r: id };
  return (
    <Panel
      title="Changes that break the most attack paths"
      aside={
        <Link to="/a/$a/r/$r/paths" params={params}>
          All {integer(attackPaths)}
        </Link>
      }
    >
      {attackPaths === 0 ? (
        <p className="muted">
          {status === "completed_with_gaps"
            ? "No attack path in what could be read. One may lie in the rest."
            : "No attack path was found."}
        </p>
      ) : (
        <QueryStatus query={query} of="attack paths" rows={CHANGES} />
      )}
      {query.data && <Changes page={query.data} few={few} params={params} />}
    </Panel>
  );
}

function Changes({ page, few, params }: { page: PathsPage; few: boolean; params: { a: string; r: string } }) {
  const steps = few ? cover(page.items, CHANGES, page.chokePoints) : page.chokePoints.slice(0, CHANGES);
  const broken = steps.reduce((sum, { paths }) => sum + paths, 0);
  return (
    <>
      <p>
        {few
          ? `${plural(steps.length, "change breaks", "changes together break")} ${integer(broken)} of ${plural(page.total, "attack path")}.`
          : `Of ${plural(page.total, "attack path")}, these changes break the most, each alone. Some paths may be counted twice.`}
      </p>
      <ol className={styles.list}>
        {steps.map(({ nodeId, change, paths, remediable }, i) => (
          <li key={`${nodeId} ${change}`}>
            <strong>{visible(change)}</strong>{" "}
            <span className="muted">
              Breaks{" "}
              <Link to="/a/$a/r/$r/paths" params={params} search={brokenBy({ nodeId, change })}>
                {integer(paths)}
                {few && i > 0 && " more"}
              </Link>
              .{remediable && " The service can do it."}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

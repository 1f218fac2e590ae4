import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Cut } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Panel } from "../../ui/Panel";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { Tag } from "../../ui/Tag";
import { useMay } from "../session/queries";
import { cutQuery } from "../whatif/queries";
import styles from "./Paths.module.css";
import { brokenBy } from "./search";

const route = getRouteApi("/a/$a/r/$r/paths");
const SHOWN = 6;

/** The smallest set of changes that breaks all critical paths, or all when none is critical. */
export function Least({ assessmentId }: { assessmentId: string }) {
  const cut = useQuery(cutQuery(assessmentId));
  return (
    <Panel title={`The least that breaks all ${cut.data?.severity === "critical" ? "critical " : ""}paths`}>
      {cut.isPending && <Skeleton label="Looking for the smallest set of changes" rows={3} />}
      <QueryError query={cut} what="The changes could not be worked out." />
      {cut.data && <Changes cut={cut.data} />}
    </Panel>
  );
}

function Changes({ cut }: { cut: Cut }) {
  const able = useMay()("remediator", route.useParams().a);
  const shown = cut.changes.slice(0, SHOWN);
  // Of least severity "high" are all paths.
  const severity = cut.severity === "critical" ? cut.severity : undefined;
  return (
    <>
      <p>
        {plural(cut.changes.length, "change breaks", "changes together break")} {integer(cut.paths)} of{" "}
        {plural(cut.of, "path")}, the least risk first.
        {!cut.exact && ` There may be a smaller set: at least ${plural(cut.atLeast, "change")} are needed.`}
        {cut.unbroken.length > 0 && ` No single change is known to break ${plural(cut.unbroken.length, "path")}.`}
      </p>
      <ol className={styles.least}>
        {shown.map(({ nodeId, change, paths, remediable }, i) => (
          <li key={`${nodeId} ${change}`}>
            <strong>{visible(change)}</strong>{" "}
            <span className={styles.links}>
              <Link from={route.id} search={{ ...brokenBy({ nodeId, change }), severity }} resetScroll={false}>
                Breaks {integer(paths)}
                {i > 0 && " more"}
              </Link>
              {remediable && <Tag>plan to review</Tag>}
            </span>
          </li>
        ))}
      </ol>
      {cut.changes.length > shown.length && (
        <p className="muted">and {integer(cut.changes.length - shown.length)} more</p>
      )}
      {able && cut.changes.some(({ remediable }) => remediable) && (
        <p>
          <Link from={route.id} to="/a/$a/r/$r/remediation" search={{ least: "yes" }}>
            Plan those that the service can make
          </Link>
        </p>
      )}
    </>
  );
}

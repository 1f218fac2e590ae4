import { useQuery } from "@tanstack/react-query";
import { refusedWith } from "../../api/errors";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { useMay } from "../session/queries";
import { IssueActivity } from "./IssueActivity";
import { IssueDecision } from "./IssueDecision";
import { IssueTickets } from "./IssueTickets";
import styles from "./IssueWork.module.css";
import { issueNow } from "./queries";

/** How far an issue is, whose it is, and what people say of it: as of now, whichever run is looked at. */
export function IssueWork({ id }: { id: string }) {
  const now = useQuery(issueNow(id));
  const able = useMay()("analyst", now.data?.accountId ?? "some");
  const gone = refusedWith(now.error, 404);
  return (
    <aside className={styles.work} aria-label="Who, when and what was said">
      {now.isPending && <Skeleton label="Loading what was decided" rows={6} />}
      {gone && <p className="muted">Later runs found nothing of it, and nobody had decided anything.</p>}
      {!gone && <QueryError query={now} what="What was decided could not be loaded." />}
      {now.data && (
        <>
          {!able && <p className="muted">Deciding and commenting takes the role analyst for this account.</p>}
          <IssueDecision key={id} issue={now.data} able={able} />
          <IssueTickets key={`tickets of ${id}`} issue={now.data} able={able} />
          <IssueActivity issue={now.data} able={able} />
        </>
      )}
    </aside>
  );
}

import { Link } from "@tanstack/react-router";
import type { FindingDetail, Sighting } from "../../api/types";
import { plural } from "../../lib/number";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { ResultMark } from "../../ui/ResultMark";
import { When } from "../../ui/When";
import { Part } from "./FindingDetail";
import styles from "./FindingDrawer.module.css";

const SHOWN = 10;
/** The service gives no more. */
const GIVEN = 100;

const STATES: Record<string, string> = {
  open: "Open",
  reopened: "Reopened: it came back after it was resolved",
  resolved: "Resolved",
};
const RESOLUTIONS: Record<string, string> = { fixed: ": fixed", deleted: ": what it was about is gone" };

const CSV: CsvColumn<Sighting>[] = [
  ["at", ({ at }) => at],
  ["result", ({ result }) => result],
  ["run", ({ assessmentId }) => assessmentId],
];

/** Where a finding stands now. */
export function FindingState({ now }: { now: FindingDetail }) {
  return (
    <Part title="State now">
      <dl className={styles.facts}>
        <dt>State</dt>
        <dd>
          {STATES[now.status] ?? now.status}
          {now.resolution && RESOLUTIONS[now.resolution]}
        </dd>
        <dt>First seen</dt>
        <dd>
          <When at={now.firstSeen} />
        </dd>
        <dt>Last seen</dt>
        <dd>
          <When at={now.lastSeen} />
        </dd>
      </dl>
    </Part>
  );
}

/** Every run that holds a finding. */
export function FindingHistory({ now, account }: { now: FindingDetail; account: string }) {
  const { history } = now;
  return (
    <Part title="History">
      <p className="muted">
        {history.length >= GIVEN
          ? `Found in the newest ${GIVEN} runs and before`
          : `Found in ${plural(history.length, "run")}`}
        , newest first.
      </p>
      <CsvButton name="history-of-a-finding" columns={CSV} rows={() => history} />
      <Runs runs={history.slice(0, SHOWN)} account={account} id={now.id} />
      {history.length > SHOWN && (
        <details>
          <summary>{plural(history.length - SHOWN, "older run")}</summary>
          <Runs runs={history.slice(SHOWN)} account={account} id={now.id} />
        </details>
      )}
    </Part>
  );
}

function Runs({ runs, account, id }: { runs: Sighting[]; account: string; id: string }) {
  return (
    <ul>
      {runs.map(({ assessmentId, at, result }) => (
        <li key={assessmentId} className={styles.actions}>
          <ResultMark result={result} />
          <Link to="/a/$a/r/$r/findings/$id" params={{ a: account, r: assessmentId, id }} className={table.pick}>
            <When at={at} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

import { Link } from "@tanstack/react-router";
import { change, integer, percent } from "../../lib/number";
import { toggled } from "../../lib/toggled";
import { visible } from "../../lib/visible";
import table from "../../ui/DataTable.module.css";
import { SeverityShape } from "../../ui/Shape";
import { Until } from "../../ui/Until";
import { When } from "../../ui/When";
import { addressOf } from "../account/queries";
import { tokenWords } from "../account/token";
import { gradeNote } from "../assessment/grade";
import { phaseWord } from "../runs/progress";
import { newestPair } from "../trend/line";
import { Sparkline } from "../trend/Sparkline";
import type { FleetRow } from "./order";

interface Props {
  rows: FleetRow[];
  loading: boolean;
  /** Whether the reader may run an account. */
  able: (account: string) => boolean;
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
}

export function FleetTable({ rows, loading, able, chosen, onChoose }: Props) {
  const all = rows.map((row) => row.account.id).filter(able);
  const every = all.length > 0 && all.every((id) => chosen.includes(id));
  return (
    <div className={table.frame} aria-busy={loading}>
      <table className={table.table}>
        <caption className="visually-hidden">Accounts</caption>
        <thead>
          <tr>
            <th scope="col">
              <label className={table.pick}>
                <input
                  type="checkbox"
                  aria-label="Choose every account"
                  checked={every}
                  disabled={all.length === 0}
                  onChange={() => onChoose(every ? [] : all)}
                />
              </label>
            </th>
            <th scope="col">Account</th>
            <th scope="col">Score</th>
            <th scope="col">Critical</th>
            <th scope="col">High</th>
            <th scope="col">Attack paths</th>
            <th scope="col">Coverage</th>
            <th scope="col">Last run</th>
            <th scope="col">Next run</th>
            <th scope="col">Token</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={row.account.id}
              row={row}
              able={able(row.account.id)}
              chosen={chosen.includes(row.account.id)}
              onToggle={() => onChoose(toggled(chosen, row.account.id))}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, able, chosen, onToggle }: { row: FleetRow; able: boolean; chosen: boolean; onToggle: () => void }) {
  const { account, latest, trend = [], job, nextRun } = row;
  const pair = newestPair(trend);
  const params = { a: addressOf(account), r: "latest" };
  const token = tokenWords(latest?.tokenInfo ?? account.tokenInfo ?? { kind: "unknown", status: "unknown" });
  return (
    <tr>
      <td data-label="Choose">
        <label className={table.pick}>
          <input
            type="checkbox"
            aria-label={`Choose ${visible(account.name)}`}
            checked={chosen}
            disabled={!able}
            onChange={onToggle}
          />
        </label>
      </td>
      <td data-label="Account" className={`${table.text} ${table.named}`}>
        <Link to="/a/$a" params={params}>
          {visible(latest?.account.name || account.name)}
        </Link>
        {account.demo && <span className={table.tag}>demo</span>}
        {account.default && <span className={table.tag}>default</span>}
      </td>
      <td data-label="Score">
        {latest ? (
          <>
            <div>
              <Link to="/a/$a" params={params} className={table.count}>
                {integer(latest.score.value)} {latest.score.grade ?? <span className={table.muted}>no grade</span>}
              </Link>{" "}
              {pair && (
                <Link
                  to="/a/$a/drift"
                  params={params}
                  search={{ from: pair.before.assessmentId, to: pair.current.assessmentId }}
                  className={table.count}
                >
                  {change(pair.current.score - pair.before.score)}
                </Link>
              )}
            </div>
            {gradeNote(latest.score) && <div className={table.muted}>{gradeNote(latest.score)}</div>}
            {trend.length > 1 && <Sparkline points={trend} width={80} height={24} />}
          </>
        ) : (
          <span className={table.muted}>not known</span>
        )}
      </td>
      {(["critical", "high"] as const).map((severity) => (
        <td key={severity} data-label={severity === "critical" ? "Critical" : "High"}>
          {latest && (
            <Link
              to="/a/$a/r/$r/findings"
              params={params}
              search={{ severity, result: "FAIL,WARNING" }}
              className={table.count}
            >
              <SeverityShape severity={severity} />
              {integer(latest.summary.bySeverity[severity] ?? 0)}
            </Link>
          )}
        </td>
      ))}
      <td data-label="Attack paths">
        {latest && (
          <Link to="/a/$a/r/$r/paths" params={params}>
            {integer(latest.attackPaths)}
          </Link>
        )}
      </td>
      <td data-label="Coverage">
        {latest && (
          <Link to="/a/$a/r/$r/findings" params={params} search={{ result: "UNKNOWN" }}>
            {percent(latest.coverage.percent)}
          </Link>
        )}
      </td>
      <td data-label="Last run">
        {latest ? <When at={latest.completedAt} /> : <span className={table.muted}>never</span>}
      </td>
      <td data-label="Next run">
        {nextRun ? <Until at={nextRun} /> : <span className={table.muted}>not planned</span>}
      </td>
      <td data-label="Token" className={table.text}>
        {token.expiry ?? token.status}
      </td>
      <td data-label="State">
        {job ? (
          <Link to="/a/$a" params={params}>
            {job.state === "queued" ? "queued" : phaseWord(job.progress.phase).toLowerCase()}
            {job.state === "running" &&
              job.progress.total > 0 &&
              ` ${integer((100 * job.progress.done) / job.progress.total)} %`}
          </Link>
        ) : (
          <span className={table.muted}>idle</span>
        )}
      </td>
    </tr>
  );
}

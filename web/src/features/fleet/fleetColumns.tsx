import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { change, integer, percent } from "../../lib/number";
import { toggled } from "../../lib/toggled";
import { useSeen } from "../../lib/useSeen";
import { visible } from "../../lib/visible";
import type { Column } from "../../ui/column";
import table from "../../ui/DataTable.module.css";
import { SeverityShape } from "../../ui/Shape";
import { Tag } from "../../ui/Tag";
import { Until } from "../../ui/Until";
import { When } from "../../ui/When";
import { addressOf } from "../account/queries";
import { tokenWords } from "../account/token";
import { gradeNote } from "../assessment/grade";
import { phaseWord } from "../runs/progress";
import { newestPair } from "../trend/line";
import { trendQuery } from "../trend/queries";
import { Sparkline } from "../trend/Sparkline";
import { type FleetRow, tokenOf } from "./order";

interface Choice {
  rows: readonly FleetRow[];
  /** Whether the reader may run an account. */
  able: (account: string) => boolean;
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
}

const params = ({ account }: FleetRow) => ({ a: addressOf(account), r: "latest" });

const unknown = (words: string) => <span className="muted">{words}</span>;

/** The columns of the list of accounts. */
export function fleetColumns(choice: Choice): Column<FleetRow>[] {
  return [
    choose(choice),
    {
      id: "account",
      name: "Account",
      fixed: "anywhere",
      cell: (row) => (
        <>
          <Link to="/a/$a" params={params(row)}>
            {visible(row.account.name)}
          </Link>
          {row.latest && row.latest.account.name !== row.account.name && (
            <span className="muted"> {visible(row.latest.account.name)}</span>
          )}
          {row.account.demo && <Tag>demo</Tag>}
          {row.account.default && <Tag>default</Tag>}
        </>
      ),
      sorts: { asc: "name" },
      className: `${table.text} ${table.named}`,
    },
    // The order without a choice: worst first.
    { id: "score", name: "Score", cell: (row) => <Score row={row} />, className: table.words },
    severity("critical", "Critical"),
    severity("high", "High"),
    {
      id: "paths",
      name: "Attack paths",
      cell: (row) =>
        row.latest && (
          <Link to="/a/$a/r/$r/paths" params={params(row)}>
            {integer(row.latest.attackPaths)}
          </Link>
        ),
      sorts: { desc: "paths" },
    },
    {
      id: "coverage",
      name: "Coverage",
      cell: (row) =>
        row.latest && (
          <Link to="/a/$a/r/$r/findings" params={params(row)} search={{ result: "UNKNOWN" }}>
            {percent(row.latest.coverage.percent)}
          </Link>
        ),
    },
    {
      id: "last",
      name: "Last run",
      cell: (row) => <LastRun row={row} />,
      sorts: { desc: "newest", asc: "oldest" },
    },
    {
      id: "next",
      name: "Next run",
      cell: ({ nextRun }) =>
        nextRun ? <Until at={nextRun} /> : unknown(nextRun === null ? "not scheduled" : "not known"),
    },
    {
      id: "token",
      name: "Token",
      cell: (row) => {
        const token = tokenWords(tokenOf(row) ?? { kind: "unknown", status: "unknown" });
        return token.expiry ?? token.status;
      },
      className: table.words,
    },
    { id: "state", name: "State", cell: (row) => <State row={row} />, className: table.words },
  ];
}

function choose({ rows, able, chosen, onChoose }: Choice): Column<FleetRow> {
  const all = rows.map((row) => row.account.id).filter(able);
  const every = all.length > 0 && all.every((id) => chosen.includes(id));
  return {
    id: "choose",
    name: "Choose",
    fixed: "first",
    head: (
      <label className={table.pick}>
        <input
          type="checkbox"
          aria-label="Choose every account"
          checked={every}
          disabled={all.length === 0}
          onChange={() => onChoose(every ? [] : all)}
        />
      </label>
    ),
    cell: ({ account }) => (
      <label className={table.pick}>
        <input
          type="checkbox"
          aria-label={`Choose ${visible(account.name)}`}
          checked={chosen.includes(account.id)}
          disabled={!able(account.id)}
          onChange={() => onChoose(toggled(chosen, account.id))}
        />
      </label>
    ),
  };
}

function severity(severity: "critical" | "high", name: string): Column<FleetRow> {
  return {
    id: severity,
    name,
    cell: (row) =>
      row.latest && (
        <Link
          to="/a/$a/r/$r/findings"
          params={params(row)}
          search={{ severity, result: "FAIL,WARNING" }}
          className={table.count}
        >
          <SeverityShape severity={severity} />
          {integer(row.latest.summary.bySeverity[severity] ?? 0)}
        </Link>
      ),
  };
}

function Score({ row: { account, latest } }: { row: FleetRow }) {
  const [ref, seen] = useSeen();
  const { data: trend = [], isError } = useQuery({ ...trendQuery(account.id, latest), enabled: seen && !!latest });
  if (!latest) return unknown("not known");
  const params = { a: addressOf(account) };
  const pair = newestPair(trend);
  return (
    <>
      <div ref={ref}>
        <Link to="/a/$a" params={params} className={table.count}>
          {integer(latest.score.value)} {latest.score.grade ?? unknown("no grade")}
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
        {isError && unknown("change not known")}
      </div>
      {gradeNote(latest.score) && <div className="muted">{gradeNote(latest.score)}</div>}
      {trend.length > 1 && <Sparkline points={trend} width={80} height={24} />}
    </>
  );
}

function LastRun({ row: { latest, attempt } }: { row: FleetRow }) {
  if (attempt === null) return unknown("never");
  if (attempt?.state === "queued" || attempt?.state === "running") return unknown("at work");
  if (!latest && !attempt) return unknown("not known");
  return (
    <>
      {latest && <When at={latest.completedAt} />}
      {attempt && (
        <div>
          {attempt.state} <When at={attempt.finishedAt ?? attempt.createdAt} />
        </div>
      )}
    </>
  );
}

function State({ row }: { row: FleetRow }) {
  const { job } = row;
  if (!job) return unknown(job === null ? "idle" : "not known");
  const { phase, done, total } = job.progress;
  return (
    <Link to="/a/$a" params={params(row)}>
      {job.state === "queued" ? "queued" : phaseWord(phase).toLowerCase()}
      {job.state === "running" && total > 0 && ` ${integer((100 * done) / total)} %`}
    </Link>
  );
}

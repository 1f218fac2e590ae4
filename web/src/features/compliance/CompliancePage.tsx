import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { refusedWith } from "../../api/errors";
import type { ComplianceControl, ComplianceReport } from "../../api/types";
import { integer, percent, plural } from "../../lib/number";
import { usePrinting } from "../../lib/usePrinting";
import { useSearchState } from "../../lib/useSearchState";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import filter from "../../ui/Filter.module.css";
import { Panel } from "../../ui/Panel";
import { PlainTable } from "../../ui/PlainTable";
import { QueryStatus } from "../../ui/QueryStatus";
import { SearchBox } from "../../ui/SearchBox";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import styles from "./Compliance.module.css";
import { evidenceOf, groupsOf, NAMES, statusWord, strengthWord } from "./controls";
import { complianceQuery } from "./queries";
import { Shares, StatusMark } from "./Shares";
import { type ComplianceSearch, FRAMEWORKS } from "./search";

const route = getRouteApi("/a/$a/r/$r/compliance/$framework");
const index = getRouteApi("/a/$a/r/$r/compliance");

const CSV: CsvColumn<ComplianceControl>[] = [
  ["control", ({ id }) => id],
  ["title", ({ title }) => title],
  ["group", ({ group }) => group],
  ["status", ({ status }) => status],
  ["pass_rate", ({ passRate }) => (passRate === null ? "" : String(passRate))],
  ["checks", ({ checkIds }) => checkIds.join(" ")],
  ["open_findings", ({ findingIds }) => String(findingIds.length)],
];

export function ComplianceIndex() {
  const params = index.useParams();
  return <Navigate to="/a/$a/r/$r/compliance/$framework" params={{ ...params, framework: "cis" }} replace />;
}

export function CompliancePage() {
  const { framework } = route.useParams();
  const assessment = useAssessment();
  const query = useQuery({ ...complianceQuery(assessment.id, framework), placeholderData: keepPreviousData });
  const unknown = refusedWith(query.error, 404);
  return (
    <>
      <RunTitle of="Compliance" />
      <nav aria-label="Framework" className={styles.frameworks}>
        {FRAMEWORKS.map((id) => (
          <Link
            key={id}
            from={route.id}
            to="/a/$a/r/$r/compliance/$framework"
            params={(before) => ({ ...before, framework: id })}
            search={true}
          >
            {NAMES[id]}
          </Link>
        ))}
      </nav>
      {unknown ? (
        <Empty title="No such framework">
          The service has no framework <code>{visible(framework)}</code>. It knows {FRAMEWORKS.join(", ")}.
        </Empty>
      ) : (
        <QueryStatus query={query} of="controls" rows={10} />
      )}
      {query.data && !query.isError && <Report report={query.data} stale={query.isPlaceholderData} />}
    </>
  );
}

function Report({ report, stale }: { report: ComplianceReport; stale: boolean }) {
  const [search, change] = useSearchState(route.useSearch(), false);
  const groups = groupsOf(report.controls, search);
  const shown = groups.reduce((n, { controls }) => n + controls.length, 0);
  return (
    <div className={stale ? styles.stale : styles.report} aria-busy={stale}>
      <Totals report={report} />
      <div className={filter.line}>
        <SearchBox
          label="Search in the controls"
          placeholder="Search control or check"
          value={search.q}
          onChange={(q) => change({ q }, true)}
        />
        <select
          aria-label="Status of the controls"
          value={search.show ?? ""}
          onChange={({ target }) => change({ show: (target.value as ComplianceSearch["show"]) || undefined })}
        >
          <option value="">Every control</option>
          <option value="failed">Failed or partly met</option>
          <option value="gap">Not assessed</option>
        </select>
        <CsvButton
          name={`compliance-${report.framework.id}`}
          columns={CSV}
          rows={() => groups.flatMap(({ controls }) => controls)}
        />
        <Button onClick={() => window.print()}>Print</Button>
        <p role="status" className={filter.count}>
          {shown === report.controls.length
            ? plural(shown, "control")
            : `${integer(shown)} of ${plural(report.controls.length, "control")}`}
        </p>
      </div>
      <p className="muted">
        Only a check that shows a control can make it pass. One that supports it judges a part of it; one that touches
        it decides nothing.
      </p>
      {shown === 0 && (
        <Empty
          title="No control matches the filters"
          action={<Button onClick={() => change({ show: undefined, q: undefined })}>Clear the filters</Button>}
        />
      )}
      {groups.map(({ name, controls }) => (
        <section key={name} aria-label={visible(name)} className={styles.group}>
          <h2>{visible(name)}</h2>
          <PlainTable
            caption={visible(name)}
            columns={["Status", "Control", "Passed", "Checks", "Findings that count"]}
          >
            {controls.map((control) => (
              <Control key={control.id} control={control} />
            ))}
          </PlainTable>
        </section>
      ))}
    </div>
  );
}

function Totals({ report }: { report: ComplianceReport }) {
  const { controls, notAssessed, notApplicable } = report.totals;
  return (
    <Panel title={`${report.framework.title} ${report.framework.version}`}>
      <p className={styles.score}>
        {report.score === null ? (
          <strong>No score: no control could be judged.</strong>
        ) : (
          <>
            <strong>{integer(report.score)}</strong> of 100, the mean over{" "}
            {plural(controls - notAssessed - notApplicable, "judged control")} of {integer(controls)}
          </>
        )}
      </p>
      <Shares reports={[report]} />
    </Panel>
  );
}

function Control({ control }: { control: ComplianceControl }) {
  const { id, title, status, passRate, checks, findingIds } = control;
  return (
    <tr>
      <td data-label="Status">
        <span className={styles.status}>
          <StatusMark status={status} />
          {statusWord(status)}
        </span>
      </td>
      <td data-label="Control" className={table.text}>
        <div>
          <strong className={styles.id}>{visible(id)}</strong> {visible(title)}
        </div>
      </td>
      <td data-label="Passed">
        {passRate === null ? <span className="muted">not judged</span> : percent(100 * passRate)}
      </td>
      <td data-label="Checks" className={table.text}>
        {checks.length > 0 && <Evidence control={id} checks={checks} />}
      </td>
      <td data-label="Findings that count" className={table.text}>
        {findingIds.length === 0 ? (
          <span className="muted">none</span>
        ) : (
          <Link
            from={route.id}
            to="/a/$a/r/$r/findings"
            // A check that only touches the control decides nothing, and its findings do not count.
            search={{ check: checks.flatMap((of) => (of.strength === "touches" ? [] : [of.checkId])).join(",") }}
            aria-label={`${plural(findingIds.length, "finding")} of control ${id}`}
          >
            {integer(findingIds.length)}
          </Link>
        )}
      </td>
    </tr>
  );
}

/** The checks behind a control. A framework has hundreds, so they are drawn when they are asked for, or printed. */
function Evidence({ control, checks }: { control: string; checks: ComplianceControl["checks"] }) {
  const [open, setOpen] = useState(false);
  const printing = usePrinting();
  const evidence = evidenceOf(checks);
  const counts = evidence.map(([strength, of]) => `${strengthWord(strength)} ${plural(of.length, "check")}`).join(", ");
  const words = counts.charAt(0) + counts.slice(1).toLowerCase();
  return (
    <details className={styles.evidence} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary aria-label={`${words}: the evidence for control ${control}`}>{words}</summary>
      {(open || printing) && (
        <ul>
          {evidence
            .flatMap(([, of]) => of)
            .map(({ checkId, strength, reason }) => (
              <li key={checkId}>
                {strengthWord(strength)}{" "}
                <Link from={route.id} to="/a/$a/r/$r/findings" search={{ q: checkId, result: "all" }}>
                  <code>{checkId}</code>
                </Link>
                : {visible(reason)}
              </li>
            ))}
        </ul>
      )}
    </details>
  );
}

import { Link } from "@tanstack/react-router";
import type { ComplianceReport } from "../../api/types";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import { BarsChart } from "../../ui/chart/Chart";
import table from "../account/Table.module.css";
import { useAssessment } from "../assessment/context";
import styles from "./Compliance.module.css";
import { NAMES, sharesOf, statusColour, statusWord } from "./controls";

/** How many of the controls of each framework are met, in a share of all of them. */
export function Shares({ reports }: { reports: readonly ComplianceReport[] }) {
  const { id, account } = useAssessment();
  const statuses = reports[0] ? sharesOf(reports[0]).map(({ status }) => status) : [];
  const nameOf = ({ framework }: ComplianceReport) => NAMES[framework.id] ?? visible(framework.title);
  const words = reports.map((report) => {
    const counts = sharesOf(report).map(({ status, n }) => `${n} ${statusWord(status).toLowerCase()}`);
    return `${nameOf(report)}, ${report.totals.controls} controls: ${counts.join(", ")}.`;
  });
  return (
    <BarsChart
      label={words.join(" ")}
      unit="% of the controls"
      top={100}
      series={statuses.map((status) => ({
        name: statusWord(status),
        colour: statusColour(status),
        shape: <StatusMark status={status} />,
      }))}
      rows={reports.map((report) => ({
        id: report.framework.id,
        name: nameOf(report),
        values: sharesOf(report).map(({ n }) => (100 * n) / Math.max(1, report.totals.controls)),
      }))}
      table={
        <div className={table.scroll}>
          <table className={table.table}>
            <caption className="visually-hidden">Controls by framework</caption>
            <thead>
              <tr>
                <th scope="col">Framework</th>
                {[...statuses.map(statusWord), "All", "Score"].map((head) => (
                  <th key={head} scope="col" className={table.number}>
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {reports.map((report) => (
                <tr key={report.framework.id}>
                  <td>
                    <Link
                      to="/a/$a/r/$r/compliance/$framework"
                      params={{ a: account.id, r: id, framework: report.framework.id }}
                    >
                      {nameOf(report)}
                    </Link>
                  </td>
                  {[...sharesOf(report), { status: "all", n: report.totals.controls }].map(({ status, n }) => (
                    <td key={status} className={table.number}>
                      {integer(n)}
                    </td>
                  ))}
                  <td className={table.number}>{report.score === null ? "none" : integer(report.score)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      }
    />
  );
}

/** The colour of a status beside its word. */
export function StatusMark({ status }: { status: string }) {
  const colour = statusColour(status);
  return (
    <span
      className={colour === "hatch" ? `${styles.swatch} ${styles.hatched}` : styles.swatch}
      style={colour === "hatch" ? undefined : { background: colour }}
    />
  );
}

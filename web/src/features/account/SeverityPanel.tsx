import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import type { AssessmentSummary } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { Panel } from "../../ui/Panel";
import { SeverityShape } from "../../ui/Shape";
import { acceptedCount } from "../findings/queries";
import styles from "./SeverityPanel.module.css";

/** What is open by severity, and beside it, hatched, what could not be judged. */
export function SeverityPanel({ summary }: { summary: AssessmentSummary }) {
  const { bySeverity, unknown, fail, warning, pass, notApplicable } = summary.summary;
  const counts = SEVERITIES.map((severity) => ({ severity, count: bySeverity[severity] ?? 0 }));
  const words = [
    ...counts.map(({ severity, count }) => `${count} ${severityWord(severity)}`),
    `${unknown} not assessed`,
  ];
  const { data: accepted = 0, isError } = useQuery(acceptedCount(summary.id));
  const params = { a: summary.account.id, r: summary.id };
  const nothing = fail + warning + unknown === 0;
  return (
    <Panel
      title="Open findings"
      aside={
        <Link to="/a/$a/r/$r/findings" params={params} search={{ result: "FAIL,WARNING" }}>
          All {integer(fail + warning)}
        </Link>
      }
    >
      <div className={styles.bar} role="img" aria-label={words.join(", ")}>
        {counts.map(
          ({ severity, count }) =>
            count > 0 && <span key={severity} className={styles[severity]} style={{ flexGrow: count }} />,
        )}
        {unknown > 0 && <span className={styles.unknown} style={{ flexGrow: unknown }} />}
      </div>
      <ul className={styles.legend}>
        {counts.map(({ severity, count }) => (
          <li key={severity}>
            <Link to="/a/$a/r/$r/findings" params={params} search={{ severity, result: "FAIL,WARNING" }}>
              <span className={styles.count}>{integer(count)}</span>
              <span className={styles.word}>
                <SeverityShape severity={severity} />
                {severityWord(severity)}
              </span>
            </Link>
          </li>
        ))}
        <li>
          <Link to="/a/$a/r/$r/findings" params={params} search={{ result: "UNKNOWN" }}>
            <span className={styles.count}>{integer(unknown)}</span>
            <span className={styles.word}>
              <span className={styles.swatch} />
              Not assessed
            </span>
          </Link>
        </li>
      </ul>
      <p className="muted">
        {nothing && "Nothing is open. "}
        {(
          [
            ["FAIL", `${integer(fail)} failed`],
            ["WARNING", plural(warning, "warning")],
            ["PASS", `${integer(pass)} passed`],
            ["NOT_APPLICABLE", `${integer(notApplicable)} not applicable`],
          ] as const
        ).map(([result, words], i) => (
          <Fragment key={result}>
            {i > 0 && ", "}
            <Link to="/a/$a/r/$r/findings" params={params} search={{ result }}>
              {words}
            </Link>
          </Fragment>
        ))}
        .{isError && " How many of them are an accepted risk is not known."}
        {accepted > 0 && (
          <>
            {" "}
            The risk of{" "}
            <Link to="/a/$a/r/$r/findings" params={params} search={{ result: "FAIL,WARNING", exception: "only" }}>
              {integer(accepted)} of the open ones
            </Link>{" "}
            is accepted.
          </>
        )}
      </p>
    </Panel>
  );
}

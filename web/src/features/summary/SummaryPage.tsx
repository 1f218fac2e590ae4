import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { integer, percent, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Panel } from "../../ui/Panel";
import { useAssessment } from "../assessment/context";
import { gradeNote } from "../assessment/grade";
import { RunTitle } from "../assessment/RunTitle";
import { zonesRead } from "../assessment/zones";
import { trendQuery } from "../trend/queries";
import { ScoreTrend } from "../trend/ScoreTrend";
import { Breaking } from "./Breaking";
import { Compliance } from "./Compliance";
import { Measured } from "./Measured";
import { Moved } from "./Moved";
import styles from "./Summary.module.css";
import { unseenOf } from "./unseen";
import { Worst } from "./Worst";

/** What a person who decides, or audits, reads in two minutes, on the screen and on paper. */
export function SummaryPage() {
  const assessment = useAssessment();
  const { account } = assessment;
  return (
    <>
      <RunTitle of="Summary" />
      <div className={styles.bar}>
        <p className="muted">
          {visible(account.name || account.id)} in two minutes. For every finding there are the{" "}
          <Link to="/a/$a/r/$r/exports" params={{ a: account.id, r: assessment.id }}>
            reports
          </Link>
          . This page is also a <a href={`/api/download/pdf?summary=true&assessmentId=${assessment.id}`}>PDF</a>.
        </p>
        <Button onClick={() => window.print()}>Print</Button>
      </div>
      <div className={styles.pair}>
        <Grade />
        <Looked />
      </div>
      <Worst assessment={assessment} />
      <Moved assessment={assessment} />
      <div className={styles.pair}>
        <ScoreTrend summary={assessment} />
        <Compliance assessment={assessment} />
      </div>
      <Breaking assessment={assessment} />
      <Measured assessment={assessment} />
    </>
  );
}

function Grade() {
  const { score, summary, attackPaths, coverage, account, id } = useAssessment();
  const { bySeverity, fail, warning } = summary;
  const params = { a: account.id, r: id };
  const note = gradeNote(score);
  return (
    <Panel title="The grade, and why">
      <p className={styles.grade}>
        <strong>{score.grade ?? "No grade"}</strong>
        {coverage.evaluated > 0 && <span>score {integer(score.value)} of 100</span>}
      </p>
      <p>
        {score.grade === null &&
          `The grade is withheld: ${note}. What could not be read counts as failed in the score.`}
        {score.grade !== null && note && `The grade is ${note}, whatever the score says.`}
        {score.grade !== null &&
          !note &&
          "The grade follows from the score alone: A from 90, B from 80, C from 70, D from 60."}
      </p>
      <p>
        <Link to="/a/$a/r/$r/findings" params={params} search={{ result: "FAIL,WARNING" }}>
          {plural(fail + warning, "open finding")}
        </Link>
        , of them{" "}
        <Link to="/a/$a/r/$r/findings" params={params} search={{ severity: "critical", result: "FAIL,WARNING" }}>
          {integer(bySeverity.critical ?? 0)} critical
        </Link>{" "}
        and{" "}
        <Link to="/a/$a/r/$r/findings" params={params} search={{ severity: "high", result: "FAIL,WARNING" }}>
          {integer(bySeverity.high ?? 0)} high
        </Link>
        ;{" "}
        {attackPaths > 0 ? (
          <Link to="/a/$a/r/$r/paths" params={params}>
            {plural(attackPaths, "attack path")}
          </Link>
        ) : (
          `no attack path was found${coverage.unknown > 0 ? " in what could be read" : ""}`
        )}
        .
      </p>
    </Panel>
  );
}

/** Names that fit on a line or two. */
const NAMES = 6;
const REASONS = 4;

function Looked() {
  const assessment = useAssessment();
  const { zones, coverage, checks, profile, account, id } = assessment;
  const trend = useQuery(trendQuery(account.id, assessment));
  const part = trend.data?.find(({ assessmentId }) => assessmentId === id)?.partial ?? false;
  const reasons = unseenOf(assessment);
  return (
    <Panel title="Scope">
      <p>
        {zonesRead(assessment).replace(/^no/, "No")}
        {zones.length > 0 &&
          `: ${zones
            .slice(0, NAMES)
            .map(({ name }) => visible(name))
            .join(", ")}`}
        {zones.length > NAMES && ` and ${integer(zones.length - NAMES)} more`}. {plural(checks.length, "check")} of the{" "}
        {profile} profile gave {plural(coverage.evaluated + coverage.unknown, "result")}; {percent(coverage.percent)} of
        them could be judged.
      </p>
      {part && (
        <p>
          <strong>This run looked at a part of the account only.</strong> It says nothing of the rest.
        </p>
      )}
      {coverage.unknown === 0 ? (
        <p>Everything that was asked for could be read.</p>
      ) : (
        <>
          <p>
            <Link to="/a/$a/r/$r/findings" params={{ a: account.id, r: id }} search={{ result: "UNKNOWN" }}>
              {plural(coverage.unknown, "result")} could not be judged
            </Link>
            , and may be good or bad:
          </p>
          <ul className={styles.list}>
            {reasons.slice(0, REASONS).map(({ why, results }) => (
              <li key={why}>
                {plural(results, "result")}: {why}
              </li>
            ))}
            {reasons.length > REASONS && <li>and {plural(reasons.length - REASONS, "other reason")}</li>}
          </ul>
        </>
      )}
    </Panel>
  );
}

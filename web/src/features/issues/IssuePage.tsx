import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Finding, Issue } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { integer, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { Panel } from "../../ui/Panel";
import { PlainTable } from "../../ui/PlainTable";
import { QueryError } from "../../ui/QueryStatus";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import { AbsentChecks } from "../findings/AbsentChecks";
import { COLUMNS } from "../findings/exportFindings";
import { FixSteps } from "../findings/FixSteps";
import { everyFinding, findingsPages } from "../findings/queries";
import { FixLink } from "./FixLink";
import styles from "./Issues.module.css";
import { IssueWork } from "./IssueWork";
import work from "./IssueWork.module.css";
import { issueOf, resolvedIssue } from "./queries";
import { effortWord } from "./words";

const route = getRouteApi("/a/$a/r/$r/issues/$check");

/** One problem: why it matters, how it is closed, and everything it hits. */
export function IssuePage() {
  const { a, r, check } = route.useParams();
  const assessment = useAssessment();
  const issues = useQuery(issueOf(assessment.id, check));
  const hits = { check, result: "FAIL,WARNING" };
  const findings = useKeptError(useInfiniteQuery(findingsPages(assessment.id, hits)));
  const issue = issues.data;
  const resolved = useQuery({ ...resolvedIssue(assessment.account.id, check), enabled: issue === null });
  const rows = findings.data?.pages.flatMap((page) => page.items) ?? [];
  const [worst] = rows;
  const judged = assessment.checks.find(({ checkId }) => checkId === check);
  const others = (
    <Link to="/a/$a/r/$r/issues" params={{ a, r }}>
      All issues of this run
    </Link>
  );
  return (
    <>
      <RunTitle of={issue ? visible(issue.title) : "Issue"} />
      {issue ? <Head issue={issue} a={a} r={r} /> : <h1>Issue</h1>}
      {(issues.isPending || findings.isPending) && <Skeleton label="Loading the issue" rows={8} />}
      <QueryError query={issues} what="The issue could not be loaded." />
      <QueryError query={findings} what="What the issue hits could not be loaded." />
      {issue === null && judged === undefined && <AbsentChecks ids={[check]} action={others} />}
      {issue === null && judged && (
        <Empty title="No such issue here" action={others}>
          The check <code>{visible(check)}</code> found nothing to close in this run
          {judged.unknown > 0 && `, and could not judge ${plural(judged.unknown, "resource")}`}.
        </Empty>
      )}
      {issue === null && resolved.data && <IssueWork id={resolved.data.id} />}
      {issue && !findings.isPending && (
        <div className={work.sides}>
          <div className={work.main}>
            {worst && <Why finding={worst} />}
            {rows.length > 0 && (
              <Hits
                rows={rows}
                every={() => everyFinding(assessment.id, hits, new AbortController().signal)}
                check={check}
                total={issue.resources}
                a={a}
                r={r}
              >
                {findings.hasNextPage && (
                  <Button disabled={findings.isFetchingNextPage} onClick={() => findings.fetchNextPage()}>
                    Show more
                  </Button>
                )}
              </Hits>
            )}
            {worst && <How finding={worst} issue={issue} />}
          </div>
          <IssueWork id={issue.id} />
        </div>
      )}
    </>
  );
}

function Head({ issue, a, r }: { issue: Issue; a: string; r: string }) {
  return (
    <header className={styles.head}>
      <div className={styles.title}>
        <SeverityBadge severity={issue.severity} />
        <h1>{visible(issue.title)}</h1>
      </div>
      <div>
        <FixLink issue={issue} a={a} r={r} look="primary" />
      </div>
      <p className={styles.sub}>
        {visible(issue.reason)} First seen <When at={issue.firstSeen} />.
        {issue.exceptions > 0 && ` The risk is accepted for ${integer(issue.exceptions)} of them.`}
      </p>
    </header>
  );
}

function Why({ finding }: { finding: Finding }) {
  return (
    <Panel title="Why it matters">
      {finding.impact && <p className={styles.prose}>{visible(finding.impact)}</p>}
      {finding.why && <p className={styles.prose}>{finding.why}</p>}
    </Panel>
  );
}

function How({ finding, issue }: { finding: Finding; issue: Issue }) {
  return (
    <Panel title={`How to fix: ${effortWord(issue.effort).toLowerCase()}`}>
      <div id="fix" className={styles.how}>
        <p className={styles.prose}>{finding.fix}</p>
        {issue.resources > 1 && (
          <p className="muted">The steps are those for {visible(finding.resource.name)}; the others have their own.</p>
        )}
        <FixSteps steps={finding.steps} />
        {finding.breaks && (
          <p className={styles.prose}>
            <strong>What it may break:</strong> {visible(finding.breaks)}
          </p>
        )}
      </div>
    </Panel>
  );
}

interface HitsProps {
  rows: readonly Finding[];
  /** Those that are not loaded, too. */
  every: () => Promise<Finding[]>;
  check: string;
  total: number;
  a: string;
  r: string;
  children: ReactNode;
}

function Hits({ rows, every, check, total, a, r, children }: HitsProps) {
  return (
    <Panel
      title={`What it hits: ${plural(total, "resource")}`}
      aside={<CsvButton name={`resources-${check.toLowerCase()}`} columns={COLUMNS} rows={every} />}
    >
      <PlainTable
        caption="Resources that the issue hits"
        columns={["Severity", "Resource", "What was found", "First seen"]}
      >
        {rows.map((finding) => (
          <tr key={finding.id}>
            <td data-label="Severity">
              <SeverityBadge severity={finding.severity} />
            </td>
            <td data-label="Resource" className={`${table.text} ${table.named}`}>
              <Link to="/a/$a/r/$r/findings/$id" params={{ a, r, id: finding.id }}>
                {visible(finding.resource.name)}
              </Link>
              {finding.resource.zone && finding.resource.zone !== finding.resource.name && (
                <div className="muted">in {visible(finding.resource.zone)}</div>
              )}
            </td>
            <td data-label="What was found" className={table.text}>
              {visible(finding.message)}
            </td>
            <td data-label="First seen">
              <When at={finding.firstSeen} />
            </td>
          </tr>
        ))}
      </PlainTable>
      {children}
    </Panel>
  );
}

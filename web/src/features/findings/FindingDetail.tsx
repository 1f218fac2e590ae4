import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { createContext, type ReactNode, use } from "react";
import { asProblem } from "../../api/errors";
import type { CheckInfo, Evidence, Finding } from "../../api/types";
import { findingMarkdown } from "../../lib/markdown";
import { visible } from "../../lib/visible";
import { ButtonLink } from "../../ui/ButtonLink";
import { CopyButton } from "../../ui/CopyButton";
import table from "../../ui/DataTable.module.css";
import { ResultMark } from "../../ui/ResultMark";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { When } from "../../ui/When";
import { useMay } from "../session/queries";
import styles from "./FindingDrawer.module.css";
import { FixSteps } from "./FixSteps";
import { checkQuery } from "./queries";

interface Props {
  finding: Finding;
  assessmentId: string;
  /** The message, as the heading of a page or of a drawer. */
  heading: (message: string) => ReactNode;
  /** The account for links within the dashboard. */
  account: string;
  /** What stands beside the copies. */
  actions?: ReactNode;
  /** A page of its own: what is known beside the run comes first in a column at the side, where there is room for one. */
  aside?: ReactNode;
}

/** Everything one run says of a finding: what, why, how to fix and on what evidence, then where it belongs. */
export function FindingDetail({ finding, assessmentId, account, heading, actions, aside }: Props) {
  const may = useMay();
  // The copied link names the assessment, because "latest" means another one tomorrow.
  const link = () => `${window.location.origin}/assessments/${assessmentId}?finding=${finding.id}`;
  return (
    <div className={aside ? styles.page : styles.body}>
      <div className={styles.column}>
        <div className={styles.tags}>
          <SeverityBadge severity={finding.severity} />
          <ResultMark result={finding.result} />
          {finding.status === "reopened" && <span className="muted">came back after it was resolved</span>}
          {finding.exception && (
            <span className="muted">accepted risk{finding.exceptionNote && `: ${visible(finding.exceptionNote)}`}</span>
          )}
        </div>
        {heading(visible(finding.title === finding.checkTitle ? finding.message : finding.title))}
        {finding.title !== finding.checkTitle && <p>{visible(finding.message)}</p>}
        {finding.impact && <p>{visible(finding.impact)}</p>}
        {finding.reason && <p>{visible(finding.reason)}</p>}
        {finding.permission && (
          <p>
            The token lacks the permission <strong>{finding.permission}</strong>.
          </p>
        )}
        <div className={styles.actions}>
          {/* First, because a copy button changes its width when it is left, and a click must not miss. */}
          {finding.remediable &&
            may("remediator", account) &&
            ["FAIL", "WARNING"].includes(finding.result) &&
            finding.status !== "resolved" && (
              <ButtonLink
                to="/a/$a/r/$r/remediation"
                params={{ a: account, r: assessmentId }}
                search={{ finding: finding.id, now: "yes" }}
                look="primary"
              >
                Plan this fix
              </ButtonLink>
            )}
          {actions}
          <CopyButton label="Copy as Markdown" text={() => findingMarkdown(finding, link())} />
          <CopyButton label="Copy as JSON" text={() => JSON.stringify(finding, null, 2)} />
          <CopyButton label="Copy link" text={link} />
        </div>
        {finding.why && (
          <Part title="Why it matters">
            <p>{finding.why}</p>
          </Part>
        )}
        {finding.fix && (
          <Part title="Fix">
            <p>{finding.fix}</p>
            <FixSteps steps={finding.steps} />
            {finding.breaks && (
              <p>
                <strong>What it may break:</strong> {visible(finding.breaks)}
              </p>
            )}
          </Part>
        )}
        <Part title="Evidence">
          <EvidenceTables evidence={finding.evidence} />
        </Part>
      </div>
      <div className={styles.column}>
        {aside}
        <Part title="Resource">
          <dl className={styles.facts}>
            <dt>Name</dt>
            <dd>{visible(finding.resource.name)}</dd>
            <dt>Type</dt>
            <dd>{finding.resource.type.replaceAll("_", " ")}</dd>
            <dt>Id</dt>
            <dd>
              <code>{visible(finding.resource.id)}</code>
            </dd>
            {finding.resource.zone && (
              <>
                <dt>Zone</dt>
                <dd>{visible(finding.resource.zone)}</dd>
              </>
            )}
            {!aside && (
              <>
                <dt>First seen</dt>
                <dd>
                  <When at={finding.firstSeen} />
                </dd>
                <dt>Last seen</dt>
                <dd>
                  <When at={finding.lastSeen} />
                </dd>
              </>
            )}
          </dl>
          {aside && (
            <ul>
              <li>
                <Link
                  to="/a/$a/r/$r/map"
                  params={{ a: account, r: assessmentId }}
                  search={{ node: finding.nodeId }}
                  className={table.pick}
                >
                  Show it on the map
                </Link>
              </li>
              <li>
                <Link
                  to="/a/$a/r/$r/findings"
                  params={{ a: account, r: assessmentId }}
                  search={{ resource: finding.resource.id }}
                  className={table.pick}
                >
                  All findings of this resource
                </Link>
              </li>
            </ul>
          )}
        </Part>
        <Part title="Check">
          <CheckFacts finding={finding} />
        </Part>
      </div>
    </div>
  );
}

/** The level of the headings below that of the finding, which is the page's own or that of a drawer. */
export const PartHeading = createContext<"h2" | "h3">("h3");

export function Part({ title, children }: { title: string; children: ReactNode }) {
  const Heading = use(PartHeading);
  return (
    <section>
      <Heading className={styles.part}>{title}</Heading>
      {children}
    </section>
  );
}

function EvidenceTables({ evidence }: { evidence: Evidence[] }) {
  if (evidence.length === 0) return <p className="muted">None was recorded for this result.</p>;
  return (
    <div className={styles.evidence}>
      {evidence.map((e) => (
        <table key={`${e.source} ${e.pointer} ${e.observed}`}>
          <caption>
            <code>
              {e.source} {visible(e.pointer)}
            </code>
          </caption>
          <tbody>
            <tr>
              <th scope="row">Observed</th>
              <td>{e.observed === "" ? "(empty)" : visible(e.observed)}</td>
            </tr>
            <tr>
              <th scope="row">Expected</th>
              <td>{e.expected === "" ? "(empty)" : visible(e.expected)}</td>
            </tr>
          </tbody>
        </table>
      ))}
    </div>
  );
}

const FRAMEWORKS: [keyof Finding["controls"], string][] = [
  ["cis", "CIS"],
  ["soc2", "SOC 2"],
  ["pci", "PCI DSS"],
  ["nist", "NIST"],
];

function CheckFacts({ finding }: { finding: Finding }) {
  const check = useQuery(checkQuery(finding.checkId));
  return (
    <dl className={styles.facts}>
      <dt>Id</dt>
      <dd>
        <code>{finding.checkId}</code>
      </dd>
      <dt>Title</dt>
      <dd>{finding.checkTitle}</dd>
      <dt>Category</dt>
      <dd>{finding.category}</dd>
      {FRAMEWORKS.map(([key, name]) => {
        const ids = finding.controls[key];
        return ids.length > 0 ? <Ids key={key} name={name} ids={ids} /> : null;
      })}
      <References check={check.data} error={check.error} />
    </dl>
  );
}

function References({ check, error }: { check: CheckInfo | undefined; error: unknown }) {
  if (error) {
    return (
      <>
        <dt>References</dt>
        <dd className="muted">could not be loaded: {asProblem(error).title}</dd>
      </>
    );
  }
  if (!check) return null;
  return (
    <>
      {check.permissions.length > 0 && <Ids name="Needs" ids={check.permissions} />}
      {check.references.length > 0 && <Ids name="References" ids={check.references} />}
    </>
  );
}

/** References are text, not links: the page never leads anywhere outside this service. */
function Ids({ name, ids }: { name: string; ids: string[] }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {ids.map((id) => (
          <div key={id}>{id}</div>
        ))}
      </dd>
    </>
  );
}

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Explanation as Explained } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import form from "../../ui/Form.module.css";
import { Outcome, outcomePanel } from "../../ui/Outcome";
import { Panel } from "../../ui/Panel";
import { QueryError } from "../../ui/QueryStatus";
import { SeverityShape } from "../../ui/Shape";
import { Skeleton } from "../../ui/Skeleton";
import { useAssessment } from "../assessment/context";
import styles from "./Explain.module.css";
import { explainQuery } from "./queries";
import type { ExplainSearch } from "./search";

type Step = Explained["steps"][number];
type By = NonNullable<Step["by"]>;

const WORDS: Record<Step["outcome"], string> = {
  applied: "Applied",
  skipped: "Skipped",
  blocked: "Blocked",
  challenged: "Challenged",
  passed: "Passed",
  not_configured: "Not configured",
  undecided: "Undecided",
};

interface Props {
  url: string;
  search: ExplainSearch;
  from: "/a/$a/r/$r/explain";
}

/** The way of one request, as a line of steps. */
export function Explanation({ url, search, from }: Props) {
  const { id } = useAssessment();
  const query = useQuery(explainQuery(id, url, search));
  return (
    <Panel title={visible(query.data?.url ?? url)} className={outcomePanel}>
      {query.isPending && <Skeleton label="Following the request" rows={10} />}
      <QueryError query={query} what="The request could not be explained." />
      {query.data && <Way explained={query.data} from={from} />}
    </Panel>
  );
}

function Way({ explained, from }: { explained: Explained; from: Props["from"] }) {
  const bare = explained.steps.filter(({ outcome }) => outcome === "not_configured");
  const last = explained.steps.at(-1);
  return (
    <>
      <Outcome>{visible(explained.outcome)}</Outcome>
      <ol className={styles.steps} aria-label="Steps">
        {explained.steps
          .filter(({ outcome }) => outcome !== "not_configured")
          .map((step) => (
            <li key={step.phase} data-outcome={step.outcome} data-last={step === last || undefined}>
              <StepRow step={step} explained={explained} from={from} />
            </li>
          ))}
      </ol>
      {bare.length > 0 && (
        <details className={form.details}>
          <summary>{plural(bare.length, "step")} without anything configured</summary>
          <p>{bare.map(({ title }) => title).join(", ")}</p>
        </details>
      )}
      {explained.undecided.some(({ permission }) => permission) && (
        <p className="muted">
          The token lacks{" "}
          {[...new Set(explained.undecided.flatMap(({ permission }) => permission ?? []))].map(visible).join(", ")}.
        </p>
      )}
    </>
  );
}

function StepRow({ step, explained, from }: { step: Step; explained: Explained; from: Props["from"] }) {
  const setting = step.by?.source === "zone/settings" ? step.by.id : undefined;
  const open = explained.findings.filter(({ id }) => step.findingIds.includes(id));
  const values = Object.entries(step.values);
  return (
    <>
      <h3 className={styles.head}>
        {step.title} <span className={styles.mark}>{WORDS[step.outcome]}</span>
      </h3>
      <p>{visible(step.detail)}</p>
      {step.by && (
        <p className="muted">
          Decided by {who(step.by)}
          {step.dashboard?.startsWith("https://") && (
            <>
              {" · "}
              <a href={step.dashboard} target="_blank" rel="noopener noreferrer">
                Open in Cloudflare
              </a>
            </>
          )}
          {setting && (
            <>
              {" · "}
              <Link
                from={from}
                to="/a/$a/r/$r/what-if"
                search={{
                  method: "PATCH",
                  path: `/zones/${explained.zone.id}/settings/${setting}`,
                  body: `{"value": "${step.values[setting] ?? ""}"}`,
                }}
              >
                Try another value
              </Link>
            </>
          )}
        </p>
      )}
      {step.overrode && step.overrode.length > 0 && (
        <p className="muted">Instead of {step.overrode.map(who).join(", ")}</p>
      )}
      {values.length > 0 && (
        <dl className={styles.values}>
          {values.map(([name, value]) => (
            <div key={name}>
              <dt>{visible(name)}</dt>
              <dd>{visible(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {open.length > 0 && (
        <ul className={styles.findings} aria-label={`Findings at ${step.title}`}>
          {open.map(({ id, title, severity }) => (
            <li key={id}>
              <SeverityShape severity={severity} />{" "}
              <Link from={from} to="/a/$a/r/$r/findings/$id" params={(before) => ({ ...before, id })}>
                {visible(title)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const who = ({ name, scope }: By) => `${visible(name)}${scope === "account" ? " of the account" : ""}`;

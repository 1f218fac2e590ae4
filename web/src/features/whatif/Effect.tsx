import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AttackPath, Proposed, WhatIf } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { severityWord } from "../../lib/severity";
import { visible } from "../../lib/visible";
import form from "../../ui/Form.module.css";
import { Outcome, outcomePanel } from "../../ui/Outcome";
import { Panel } from "../../ui/Panel";
import { QueryError } from "../../ui/QueryStatus";
import { SeverityShape } from "../../ui/Shape";
import { ShowMore } from "../../ui/ShowMore";
import { Skeleton } from "../../ui/Skeleton";
import { useAssessment } from "../assessment/context";
import { outcomeWords } from "./outcome";
import { whatIfQuery } from "./queries";
import styles from "./WhatIf.module.css";

/** Of a plan for a whole account hundreds are resolved. */
const AT_ONCE = 50;

/** What would follow from changes. */
export function Effect({ changes, planned = false }: { changes: Proposed[]; planned?: boolean }) {
  const { id } = useAssessment();
  const query = useQuery(whatIfQuery(id, changes));
  return (
    <Panel title="What follows" className={outcomePanel}>
      {query.isPending && <Skeleton label="Judging again" rows={6} />}
      <QueryError query={query} what="The changes could not be tried." />
      {query.data && <Told effect={query.data} />}
      {query.data && !planned && <ToPlan effect={query.data} />}
    </Panel>
  );
}

/** From what a change would close to a plan that closes it, behind the gate. */
function ToPlan({ effect: { findings } }: { effect: WhatIf }) {
  const checks = [...new Set(findings.resolve.map(({ checkId }) => checkId))];
  if (checks.length === 0) return null;
  return (
    <p>
      <Link from="/a/$a/r/$r" to="/a/$a/r/$r/remediation" search={{ check: checks.join(",") }}>
        Plan what closes {checks.length === 1 ? checks[0] : plural(checks.length, "check")}
      </Link>
    </p>
  );
}

type Difference = WhatIf["findings"]["appear"][number];

function Told({ effect }: { effect: WhatIf }) {
  const { findings, paths, undecided } = effect;
  return (
    <>
      <Outcome>{outcomeWords(effect)}</Outcome>
      <Findings title="New findings" list={findings.appear} />
      <Findings title="Findings that get worse" list={findings.worsen} />
      <Paths title="Attack paths that open" list={paths.appear} />
      <Findings title="Resolved findings" list={findings.resolve} linked />
      <Findings title="Findings that get better" list={findings.improve} linked />
      <Paths title="Attack paths that break" list={paths.break} linked />
      {undecided.length > 0 && (
        <section aria-label="Not known">
          <h3>Not known</h3>
          <ul className={styles.list}>
            {undecided.map(({ what, why }) => (
              <li key={`${what} ${why}`}>
                <code>{visible(what)}</code> <span className={form.hint}>{visible(why)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Edits effect={effect} />
    </>
  );
}

function Changed<T extends { id: string; severity: AttackPath["severity"] | Difference["severity"] }>({
  title,
  list,
  children,
}: {
  title: string;
  list: T[];
  children: (item: T) => ReactNode;
}) {
  if (list.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>
        {title} <span className={form.hint}>({integer(list.length)})</span>
      </h3>
      <ShowMore of={list} word={["entry", "entries"]} step={AT_ONCE}>
        {(shown) => (
          <ul className={styles.list}>
            {shown.map((item) => (
              <li key={item.id}>
                <SeverityShape severity={item.severity} />{" "}
                <span className="visually-hidden">{severityWord(item.severity)}: </span>
                {children(item)}
              </li>
            ))}
          </ul>
        )}
      </ShowMore>
    </section>
  );
}

function Findings({ title, list, linked = false }: { title: string; list: Difference[]; linked?: boolean }) {
  return (
    <Changed title={title} list={list}>
      {({ id, checkId, message, resource, exception }) => (
        <>
          {linked ? (
            <Link from="/a/$a/r/$r" to="/a/$a/r/$r/findings/$id" params={(before) => ({ ...before, id })}>
              {visible(message)}
            </Link>
          ) : (
            visible(message)
          )}{" "}
          <span className={form.hint}>
            <code>{checkId}</code> {visible(resource.name)}
            {exception && " · its risk is accepted"}
          </span>
        </>
      )}
    </Changed>
  );
}

function Paths({ title, list, linked = false }: { title: string; list: AttackPath[]; linked?: boolean }) {
  return (
    <Changed title={title} list={list}>
      {({ id, title: name }) =>
        linked ? (
          <Link from="/a/$a/r/$r" to="/a/$a/r/$r/paths/$p" params={(before) => ({ ...before, p: id })}>
            {visible(name)}
          </Link>
        ) : (
          visible(name)
        )
      }
    </Changed>
  );
}

/** What the changes do to what was read. */
function Edits({ effect }: { effect: WhatIf }) {
  const edits = effect.applied.flatMap(({ edits }) => edits);
  return (
    <details>
      <summary>{plural(edits.length, "value changes", "values change")}</summary>
      <ShowMore of={edits} word={["value", "values"]} step={AT_ONCE}>
        {(shown) => (
          <ul className={styles.list}>
            {shown.map(({ source, scope, pointer, before, after }) => (
              <li key={`${source} ${scope} ${pointer}`}>
                <code>
                  {visible(source)}
                  {visible(pointer)}
                </code>{" "}
                <span className={form.hint}>
                  {short(before)} → {short(after)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </ShowMore>
    </details>
  );
}

const LONGEST = 120;

function short(value: unknown): string {
  if (value === null || value === undefined) return "not there";
  const text = visible(JSON.stringify(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

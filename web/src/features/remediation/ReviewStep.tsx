import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { refusedWith } from "../../api/errors";
import type { PlanDetail } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { toggled } from "../../lib/toggled";
import { useNow } from "../../lib/useNow";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import form from "../../ui/Form.module.css";
import { QueryStatus } from "../../ui/QueryStatus";
import { ShowMore } from "../../ui/ShowMore";
import { Effect } from "../whatif/Effect";
import { Approval, approved } from "./Approval";
import { ChangeView } from "./ChangeView";
import { CopyAs } from "./CopyAs";
import { changesFor, countdown, PLAN_CSV, planRows } from "./plan";
import { planQuery } from "./queries";
import styles from "./RemediationPage.module.css";
import { Values } from "./Values";

const AT_ONCE = 50;

interface Props {
  id: string;
  /** The findings the plan was made for; none are known after a reload. */
  findings: readonly string[];
  chosen: readonly string[] | undefined;
  /** Why nothing can be changed; undefined when it can. */
  off: string | undefined;
  onChoose: (changes: string[]) => void;
  onPlan: (id: string) => void;
  onBack: () => void;
  onNext: () => void;
}

export function ReviewStep({ id, findings, chosen, off, onChoose, onPlan, onBack, onNext }: Props) {
  const plan = useQuery(planQuery(id));
  useEffect(() => {
    if (plan.data && chosen === undefined) onChoose(changesFor(plan.data, findings));
  }, [plan.data, chosen, findings, onChoose]);
  return (
    <>
      <PlanStatus id={id} query={plan} rows={8} onBack={onBack} />
      {plan.data && <Review plan={plan.data} chosen={chosen ?? []} {...{ off, onChoose, onPlan, onBack, onNext }} />}
    </>
  );
}

interface PlanStatusProps {
  id: string;
  query: UseQueryResult;
  rows: number;
  onBack: () => void;
}

/** Stands above a plan, which stays with all that was typed in it while an answer about its approval is missing. */
export function PlanStatus({ id, query, rows, onBack }: PlanStatusProps) {
  if (refusedWith(query.error, 404, 409, 410, 422)) {
    return (
      <Empty title="This plan is not here any more" action={<Button onClick={onBack}>Make a new plan</Button>}>
        There is no plan <code>{id}</code>. A plan holds for an hour and is kept for a day.
      </Empty>
    );
  }
  return <QueryStatus query={query} of="plan" rows={rows} />;
}

interface ReviewProps {
  plan: PlanDetail;
  chosen: readonly string[];
  off: string | undefined;
  onChoose: (changes: string[]) => void;
  onPlan: (id: string) => void;
  onBack: () => void;
  onNext: () => void;
}

function Review({ plan, chosen, off, onChoose, onPlan, onBack, onNext }: ReviewProps) {
  const now = useNow();
  const on = new Set(chosen);
  const left = countdown(plan.expiresAt, now);
  const every = plan.changes.length > 0 && chosen.length === plan.changes.length;
  const refused = plan.skipped.filter((skip) => !skip.compliant);
  const right = plan.skipped.filter((skip) => skip.compliant);
  const byHand = plan.manual.filter((item) => !item.inputs?.length);
  const waiting = plan.manual.length - byHand.length;
  const paths = plan.pathsRemoved.length;
  const facts = [
    paths > 0 && `applying all of it breaks ${plural(paths, "attack path")}`,
    waiting > 0 && `${integer(waiting)} more once you give a value`,
    byHand.length > 0 && `${integer(byHand.length)} by hand`,
    refused.length > 0 && `${integer(refused.length)} not possible`,
    right.length > 0 && `${integer(right.length)} already right`,
    left !== undefined && `plan expires in ${left}`,
  ];
  return (
    <>
      {left === undefined && (
        <Banner title="This plan has expired." actions={<Button onClick={onBack}>Make a new plan</Button>}>
          The values it was made from may have moved.
        </Banner>
      )}
      <div className={form.actions}>
        <strong>{plural(plan.changes.length, "change")}</strong>
        <span className={form.hint}>{facts.filter(Boolean).join(" · ")}</span>
        <CsvButton name="plan" columns={PLAN_CSV} rows={() => planRows(plan)} />
      </div>
      {plan.ai.used && (
        <Banner title={`Ordered by the planner (${plan.ai.provider}).`}>{visible(plan.ai.note ?? "")}</Banner>
      )}
      {!plan.ai.used && plan.ai.note && <Banner title="The planner was not used:">{visible(plan.ai.note)}</Banner>}
      <Approval plan={plan} />
      <Values plan={plan} onPlan={onPlan} />
      {plan.changes.length === 0 && waiting === 0 && (
        <Empty
          title="Nothing that the service can change"
          action={<Button onClick={onBack}>Choose other findings</Button>}
        >
          What was chosen is right already, has to be done by hand or was refused. The lists below say which.
        </Empty>
      )}
      {plan.changes.length > 0 && (
        <>
          <div className={form.actions}>
            <Button onClick={() => onChoose(every ? [] : plan.changes.map((change) => change.id))}>
              {every ? "Choose none" : "Choose all changes"}
            </Button>
            <Button look="quiet" onClick={onBack}>
              Back to the findings
            </Button>
          </div>
          <ShowMore of={plan.changes} word={["change", "changes"]} step={AT_ONCE}>
            {(shown) => (
              <ol className={table.frame} aria-label="Changes">
                {shown.map((change) => (
                  <ChangeView
                    key={change.id}
                    change={change}
                    assessmentId={plan.assessmentId}
                    control={
                      <input
                        type="checkbox"
                        checked={on.has(change.id)}
                        onChange={() => onChoose(toggled(chosen, change.id))}
                      />
                    }
                  />
                ))}
              </ol>
            )}
          </ShowMore>
        </>
      )}
      {chosen.length > 0 && (
        <Effect
          planned
          changes={
            chosen.length === plan.changes.length
              ? [{ planId: plan.id }]
              : chosen.map((changeId) => ({ planId: plan.id, changeId }))
          }
        />
      )}
      <Others title="To do by hand" of={byHand}>
        {(item) => (
          <li key={`${item.checkId} ${item.resource.id}`} className={styles.change}>
            <span>
              <code>{item.checkId}</code> {visible(item.resource.name)}
            </span>
            <span className="muted">{item.fix}</span>
            <CopyAs assessmentId={plan.assessmentId} item={item} />
          </li>
        )}
      </Others>
      <Others title="Refused or not readable" of={refused}>
        {(item) => (
          <li key={`${item.checkId} ${item.resource.id} ${item.reason}`} className={styles.change}>
            <span>
              <code>{item.checkId}</code> {visible(item.resource.name)}
            </span>
            <span className="muted">{visible(item.reason)}</span>
          </li>
        )}
      </Others>
      <Others title="Right already" of={right}>
        {(item) => (
          <li key={`${item.checkId} ${item.resource.id} ${item.reason}`} className={styles.change}>
            <span>
              <code>{item.checkId}</code> {visible(item.resource.name)}
            </span>
          </li>
        )}
      </Others>
      <Others title="Attack paths that are gone when all is made" of={plan.pathsRemoved}>
        {(path) => (
          <li key={path} className={styles.change}>
            <code className={styles.name}>{visible(path)}</code>
          </li>
        )}
      </Others>
      {plan.changes.length > 0 && (
        <div className={styles.bar}>
          <span className={styles.grow} role="status">
            {integer(chosen.length)} of {plural(plan.changes.length, "change")} chosen
            {off !== undefined && `. ${off}`}
          </span>
          <Button
            look="primary"
            disabled={off !== undefined || left === undefined || chosen.length === 0 || !approved(plan)}
            onClick={onNext}
          >
            Authorise {plural(chosen.length, "change")}
          </Button>
        </div>
      )}
    </>
  );
}

interface OthersProps<T> {
  title: string;
  of: readonly T[];
  children: (one: T) => ReactNode;
}

function Others<T>({ title, of, children }: OthersProps<T>) {
  if (of.length === 0) return null;
  return (
    <details className={form.details}>
      <summary>
        {title} ({integer(of.length)})
      </summary>
      <ShowMore of={of} word={["entry", "entries"]} step={AT_ONCE}>
        {(shown) => <ul className={table.frame}>{shown.map(children)}</ul>}
      </ShowMore>
    </details>
  );
}

import { useState } from "react";
import type { Plan } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import table from "../../ui/DataTable.module.css";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { Tag } from "../../ui/Tag";
import { JobWatch } from "../jobs/JobWatch";
import styles from "./RemediationPage.module.css";
import { usePlan } from "./usePlan";

/** The changes that wait for a value only a person can choose, each with its fields; the plan is made again with them. */
export function Values({ plan, onPlan }: { plan: Plan; onPlan: (id: string) => void }) {
  const { pending, error, job, make, take } = usePlan(plan.assessmentId, onPlan);
  const [filled, setFilled] = useState<Record<string, string>>({});
  const waiting = plan.manual.filter(({ inputs }) => inputs?.length);
  const asking = Object.entries(Object.groupBy(waiting, ({ checkId }) => checkId));
  if (asking.length === 0) return null;
  const all = [...plan.changes, ...plan.manual, ...plan.skipped];
  const again = () =>
    make({
      checkIds: [...new Set(all.map(({ checkId }) => checkId))].sort(),
      findingIds: [...new Set(all.map(({ findingId }) => findingId))],
      filled,
      ai: plan.ai.used,
    });
  return (
    <form
      aria-label="Changes that need a value"
      onSubmit={(event) => {
        event.preventDefault();
        again();
      }}
    >
      <ul className={table.frame}>
        {asking.map(([check, items = []]) => (
          <li key={check} className={styles.change}>
            <div className={styles.line}>
              <strong>{items[0]?.fix}</strong>
              <code>{check}</code>
              <Tag>needs a value</Tag>
            </div>
            <p className={styles.body}>
              For{" "}
              {items
                .slice(0, 3)
                .map(({ resource }) => visible(resource.name))
                .join(", ")}
              {items.length > 3 && ` and ${plural(items.length - 3, "other")}`}.
            </p>
            <div className={`${form.grid} ${styles.values}`}>
              {items[0]?.inputs?.map((input) => (
                <Field
                  key={input.name}
                  label={`${check}: ${input.name}`}
                  name={`${check} ${input.name}`}
                  hint={
                    <>
                      {input.description} For example <code>{input.example}</code>
                    </>
                  }
                >
                  {(control) => (
                    <input
                      {...control}
                      autoComplete="off"
                      spellCheck={false}
                      value={filled[control.name] ?? ""}
                      onChange={({ target }) => setFilled({ ...filled, [control.name]: target.value })}
                    />
                  )}
                </Field>
              ))}
            </div>
          </li>
        ))}
        <li className={`${styles.change} ${styles.line}`}>
          <Button
            type="submit"
            look="primary"
            disabled={pending || Object.values(filled).every((text) => !text.trim())}
          >
            Plan again with these values
          </Button>
          <span className={form.hint}>Fields you leave empty stay manual.</span>
        </li>
      </ul>
      {Boolean(error) && <ErrorPanel error={error} what="The plan was not made." onRetry={again} />}
      {job !== undefined && (
        <JobWatch id={job} what="Planning again with your values" onSucceeded={({ result }) => take(result)} />
      )}
    </form>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { PlanDetail } from "../../api/types";
import { plural } from "../../lib/number";
import { useNow } from "../../lib/useNow";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { Approval, approved } from "./Approval";
import { Gate } from "./Gate";
import { applyWords, countdown, highRisk } from "./plan";
import { ASYNC, jobOf, planQuery } from "./queries";
import { PlanStatus } from "./ReviewStep";

interface Props {
  id: string;
  chosen: readonly string[];
  enabled: boolean;
  onBack: () => void;
  onApplied: (job: string) => void;
}

export function AuthoriseStep({ id, onBack, ...step }: Props) {
  const plan = useQuery(planQuery(id));
  return (
    <>
      <PlanStatus id={id} query={plan} rows={4} onBack={onBack} />
      {plan.data && <Authorise plan={plan.data} onBack={onBack} {...step} />}
    </>
  );
}

function Authorise({ plan, chosen, enabled, onBack, onApplied }: Omit<Props, "id"> & { plan: PlanDetail }) {
  const now = useNow();
  const [force, setForce] = useState(false);
  const { account, assessmentId, expiresAt, changes: all } = plan;
  const on = new Set(chosen);
  const changes = all.filter(({ id }) => on.has(id));
  if (changes.length === 0) {
    return (
      <Empty title="No change is chosen" action={<Button onClick={onBack}>Review the plan</Button>}>
        What is chosen does not outlast a reload of the page.
      </Empty>
    );
  }
  const name = account.name || account.id;
  const left = countdown(expiresAt, now);
  const risky = highRisk(changes);
  const made = force ? changes.length : changes.length - risky;
  const undoable = changes.filter(({ reversible }) => reversible).length;
  return (
    <Panel
      title={`Change ${visible(name)}`}
      aside={
        <span className={form.hint}>
          {left === undefined ? "The plan has expired." : `The plan expires in ${left}`}
        </span>
      }
    >
      <p>
        {plural(changes.length, "change")} to the live account, {undoable} of them can be undone. All live values are
        read again first: when one has moved, nothing is changed. Each change is backed up before and verified after.
      </p>
      <Approval plan={plan} />
      <Gate
        account={name}
        action={applyWords(made, visible(name))}
        what="Nothing was changed."
        disabled={!enabled || left === undefined || made === 0 || !approved(plan)}
        onSubmit={async (permission) => {
          const body = {
            ...permission,
            assessmentId,
            planId: plan.id,
            checkIds: [...new Set(changes.map(({ checkId }) => checkId))],
            changeIds: changes.map((change) => change.id),
            ...(force && { force }),
          };
          const job = await jobOf(bodyOf(api.POST("/api/remediate/apply", { params: { header: ASYNC }, body })));
          onApplied(job.id);
        }}
      >
        {risky > 0 && (
          <label className={form.check}>
            <input type="checkbox" checked={force} onChange={({ target }) => setForce(target.checked)} />
            Also make {plural(risky, "change")} of high risk; without this they are left out
          </label>
        )}
      </Gate>
      <div className={form.actions}>
        <Button look="quiet" onClick={onBack}>
          Back to the plan
        </Button>
      </div>
    </Panel>
  );
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { PlanDetail } from "../../api/types";
import { plural } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { When } from "../../ui/When";
import { sessionQuery, useMay } from "../session/queries";
import { highRisk } from "./plan";
import { planQuery } from "./queries";

/** Whether a plan may be applied, as far as its approval goes. */
export const approved = ({ approval }: PlanDetail) =>
  !approval.required || (approval.by !== undefined && !approval.usedByJob);

/** Who approved the plan, or how somebody else does. The service decides who may. */
export function Approval({ plan }: { plan: PlanDetail }) {
  const { by, at, usedByJob, required, force } = plan.approval;
  const client = useQueryClient();
  const { data: who } = useQuery(sessionQuery);
  const own = who !== undefined && who.actor === plan.requestedBy?.actor;
  const able = useMay()("remediator", plan.account.id) && !own;
  const { pending, error, send } = useSend();
  const [risky, setRisky] = useState(false);
  const risks = highRisk(plan.changes);
  if (!required || plan.changes.length === 0) return null;
  if (by) {
    return (
      <Banner title={usedByJob ? "The approval of this plan is used." : `Approved by ${visible(by.actor)}`}>
        {at && <When at={at} />}
        {usedByJob ? " It went to one job; make a new plan for more." : force && ", changes of high risk too"}
      </Banner>
    );
  }
  const approve = () =>
    send(async () => {
      const params = { path: { id: plan.id } };
      await bodyOf(api.POST("/api/remediate/plans/{id}/approve", { params, body: { force: risky } }));
      await client.invalidateQueries({ queryKey: planQuery(plan.id).queryKey });
    });
  return (
    <>
      <Banner
        title="Somebody else must approve this plan."
        actions={
          able && (
            <Button disabled={pending} onClick={approve}>
              Approve
            </Button>
          )
        }
      >
        {plan.requestedBy && <>{own ? "You" : visible(plan.requestedBy.actor)} asked for it. </>}
        Send the address of this page to a person with the role remediator.
        {able && risks > 0 && (
          <label className={form.check}>
            <input type="checkbox" checked={risky} onChange={({ target }) => setRisky(target.checked)} />
            Approve {plural(risks, "change")} of high risk too
          </label>
        )}
      </Banner>
      {error !== undefined && <ErrorPanel error={error} what="The plan was not approved." />}
    </>
  );
}

import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import { useSend } from "../../lib/useSend";
import { inputsOf } from "./plan";
import { ASYNC, jobOf } from "./queries";

/** What a plan is asked to close. */
export interface Wanted {
  checkIds: readonly string[];
  findingIds: readonly string[];
  /** Values that a person chose, by "check name". */
  filled: Readonly<Record<string, string>>;
  ai: boolean;
}

/** How many findings a plan may name; more are named by their checks, and the review keeps to those that were chosen. */
const MOST_NAMED = 1000;

/** Makes plans; `job` is the one at work, whose result `take` hands on. */
export function usePlan(assessmentId: string, onPlan: (id: string) => void) {
  const { pending, error, send } = useSend();
  const [job, setJob] = useState<string>();
  const make = ({ checkIds, findingIds, filled, ai }: Wanted) =>
    send(async () => {
      const inputs = inputsOf(filled, checkIds);
      const body = {
        assessmentId,
        checkIds: [...checkIds],
        ...(findingIds.length <= MOST_NAMED && { findingIds: [...findingIds] }),
        ...(Object.keys(inputs).length > 0 && { inputs }),
        ...(ai && { ai }),
      };
      const made = await jobOf(bodyOf(api.POST("/api/remediate/plan", { params: { header: ASYNC }, body })));
      setJob(made.id);
    });
  const take = (result: unknown) => {
    const plan = result as { id?: string } | undefined;
    if (!plan?.id) return;
    setJob(undefined);
    onPlan(plan.id);
  };
  return { pending, error, job, make, take };
}

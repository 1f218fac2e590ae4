import { api, bodyOf } from "../../api/client";
import type { Job, NotifyRequest, ShipRequest } from "../../api/types";
import { ASYNC, jobOf } from "../remediation/queries";

/** Tells channels of an assessment; the job is answered at once. */
export const notify = (body: NotifyRequest): Promise<Job> =>
  jobOf(bodyOf(api.POST("/api/notify", { params: { header: ASYNC }, body })));

/** Ships an assessment; the job is answered at once. */
export const ship = (body: ShipRequest): Promise<Job> =>
  jobOf(bodyOf(api.POST("/api/integrations/ship", { params: { header: ASYNC }, body })));

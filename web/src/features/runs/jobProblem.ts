import { ApiProblem } from "../../api/errors";
import type { Job } from "../../api/types";

/** Why a job failed, as any other problem. */
export function jobProblem(job: Job): ApiProblem {
  return new ApiProblem({
    status: 0,
    title: job.error?.code.replaceAll("_", " ") ?? "unknown",
    detail: job.error?.detail ?? "The service gave no reason.",
    code: job.error?.code,
    retryAfterSeconds: job.error?.retryAfterSeconds,
    fields: job.error?.errors?.map(({ location, message }) => ({ location, message })),
  });
}

import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { AssessRequest, Job } from "../../api/types";

/** Answer with the job at once instead of waiting for its result. */
const ASYNC = { Prefer: "respond-async" };

export const activeJobs = queryOptions({
  queryKey: ["jobs", "active"],
  queryFn: ({ signal }) =>
    everyRow((part) => {
      const query = { kind: "assess", state: "queued,running", ...part };
      return bodyOf(api.GET("/api/jobs", { params: { query }, signal }));
    }),
  refetchInterval: 10_000,
});

/** The newest runs that left no assessment, of all accounts, and whether these are all that are kept. */
export const failedRuns = queryOptions({
  queryKey: ["jobs", "failed"],
  queryFn: async ({ signal }) => {
    const query = { kind: "assess", state: "failed,cancelled", limit: 200 };
    const page = await bodyOf(api.GET("/api/jobs", { params: { query }, signal }));
    return { runs: page.items, all: !page.nextCursor };
  },
  refetchInterval: 30_000,
});

/** The newest run of an account, so that a failure while nobody looked is not lost. */
export const lastRun = (account: string) =>
  queryOptions({
    queryKey: ["jobs", "last", account],
    queryFn: async ({ signal }) => {
      const query = { kind: "assess", account, limit: 1 };
      return (await bodyOf(api.GET("/api/jobs", { params: { query }, signal }))).items[0] ?? null;
    },
  });

export const jobKey = (id: string) => ["job", id] as const;

export function fetchJob(id: string, signal: AbortSignal): Promise<Job> {
  return bodyOf(api.GET("/api/jobs/{id}", { params: { path: { id } }, signal }));
}

export function setJob(client: QueryClient, job: Job): void {
  client.setQueryData(jobKey(job.id), job);
}

export const runCategories = queryOptions({
  queryKey: ["checks", "categories"],
  queryFn: async ({ signal }) => {
    const page = await bodyOf(api.GET("/api/checks", { signal }));
    return [...new Set(page.items.map((check) => check.category))].sort();
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Starts a run and answers its job; a run that is already over answers null. */
export async function startRun(request: AssessRequest): Promise<Job | null> {
  const answer = await bodyOf(api.POST("/api/assess", { body: request, params: { header: ASYNC } }));
  return "state" in answer ? answer : null;
}

export function cancelRun(id: string): Promise<Job> {
  return bodyOf(api.POST("/api/jobs/{id}/cancel", { params: { path: { id } } }));
}

export async function retryRun(id: string): Promise<Job | null> {
  const call = api.POST("/api/jobs/{id}/retry", { params: { path: { id }, header: ASYNC } });
  const answer: unknown = await bodyOf(call);
  return typeof answer === "object" && answer !== null && "state" in answer ? (answer as Job) : null;
}

/** A run has ended: what was saved and what still runs must be asked anew. */
export function runEnded(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ["assessments"] });
  void client.invalidateQueries({ queryKey: ["jobs"] });
  void client.invalidateQueries({ queryKey: ["health"] });
}

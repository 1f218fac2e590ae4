import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { byCursor } from "../../api/byCursor";
import { api, bodyOf } from "../../api/client";
import type { Job, PlanDetail } from "../../api/types";
import { everyFinding } from "../findings/queries";

/** The job is answered at once; its events tell the rest. */
export const ASYNC = { Prefer: "respond-async" };

/** The job a call made. */
export async function jobOf(call: Promise<unknown>): Promise<Job> {
  const answer = await call;
  if (typeof answer === "object" && answer !== null && "state" in answer && "progress" in answer) return answer as Job;
  throw new Error("The service answered a result instead of its job.");
}

/** Every open finding that has a remedy. */
export const remediableFindings = (assessmentId: string) =>
  queryOptions({
    queryKey: ["findings", assessmentId, "remediable"],
    queryFn: async ({ signal }) => {
      const all = await everyFinding(assessmentId, { result: "FAIL,WARNING", remediable: "yes" }, signal);
      return all.filter(({ status }) => status !== "resolved");
    },
    // A saved assessment never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

const waits = (plan?: PlanDetail) => plan?.approval.required && !plan.approval.by;

export const planQuery = (id: string) =>
  queryOptions({
    queryKey: ["plan", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/remediate/plans/{id}", { params: { path: { id } }, signal })),
    // A plan is never changed, only replaced; but somebody may approve it.
    staleTime: ({ state }) => (waits(state.data) ? 0 : Number.POSITIVE_INFINITY),
    refetchInterval: ({ state }) => waits(state.data) && 5000,
  });

export const backupsPages = (account: string) =>
  infiniteQueryOptions({
    queryKey: ["backups", account],
    ...byCursor((part, signal) =>
      bodyOf(api.GET("/api/remediate/backups", { params: { query: { account, limit: 50, ...part } }, signal })),
    ),
  });

export const backupQuery = (id: string) =>
  queryOptions({
    queryKey: ["backup", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/remediate/backups/{id}", { params: { path: { id } }, signal })),
  });

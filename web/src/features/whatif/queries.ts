import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import type { Proposed } from "../../api/types";

/** What would follow from changes of what an assessment read. Nothing is sent to Cloudflare. */
export const whatIfQuery = (assessmentId: string, changes: Proposed[]) =>
  queryOptions({
    queryKey: ["what-if", assessmentId, changes],
    queryFn: ({ signal }) => bodyOf(api.POST("/api/what-if", { body: { assessmentId, changes }, signal })),
    staleTime: 5 * 60_000, // exceptions and thresholds may change
    retry: false,
  });

/** The calls that write what a finding looks at, with what was read as their bodies. */
export const editableQuery = (assessmentId: string, check: string, resource: string) =>
  queryOptions({
    queryKey: ["editable", assessmentId, check, resource],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/assessments/{id}/editable", {
          params: { path: { id: assessmentId }, query: { check, resource } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const cutQuery = (assessmentId: string) =>
  queryOptions({
    queryKey: ["cut", assessmentId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/assessments/{id}/cut", { params: { path: { id: assessmentId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

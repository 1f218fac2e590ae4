import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { byCursor } from "../../api/byCursor";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { Issue, IssueDetail, IssuesPage } from "../../api/types";

const PAGE = 100;

type Query = Record<string, string>;

const issues = (id: string, query: object, signal?: AbortSignal): Promise<IssuesPage> =>
  bodyOf(api.GET("/api/assessments/{id}/issues", { params: { path: { id }, query }, ...(signal && { signal }) }));

/** The issues that are first by rank, for a page that shows no more. */
export const firstIssues = (assessmentId: string, limit: number) =>
  queryOptions({
    queryKey: ["issues", assessmentId, "first", limit],
    queryFn: ({ signal }) => issues(assessmentId, { limit }, signal),
  });

/** The issues of a run that fit, page by page; the first page counts what each filter would list. */
export const issuesPages = (assessmentId: string, query: Query) =>
  infiniteQueryOptions({
    queryKey: ["issues", assessmentId, query],
    ...byCursor((part, signal) =>
      issues(assessmentId, { ...query, limit: PAGE, ...(part.cursor ? part : { facets: true }) }, signal),
    ),
    placeholderData: keepPreviousData,
  });

/** Every issue of a run that fits, for a file. */
export const everyIssue = (assessmentId: string, query: Query) =>
  everyRow((part) => issues(assessmentId, { ...query, ...part }));

/** The issue of a check of a run; none when it found nothing. */
export const issueOf = (assessmentId: string, checkId: string) =>
  queryOptions({
    queryKey: ["issues", assessmentId, "of", checkId],
    queryFn: async ({ signal }) => {
      const { items } = await issues(assessmentId, { check: checkId, state: "all", limit: 1 }, signal);
      return items[0] ?? null;
    },
  });

/** An issue as it stands now, with what people decided and said. */
export const issueNow = (id: string) =>
  queryOptions({
    queryKey: ["issue", id],
    queryFn: ({ signal }): Promise<IssueDetail> =>
      bodyOf(api.GET("/api/issues/{id}", { params: { path: { id } }, signal })),
  });

/** The issue of a check of an account that a run resolved; none when nobody decided anything about it before. */
export const resolvedIssue = (account: string, check: string) =>
  queryOptions({
    queryKey: ["issue", "resolved", account, check],
    queryFn: async ({ signal }): Promise<Issue | null> => {
      const query = { account, check, state: "resolved", limit: 1 };
      const { items } = await bodyOf(api.GET("/api/issues", { params: { query }, signal }));
      return items[0] ?? null;
    },
  });

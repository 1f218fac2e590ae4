import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { byCursor } from "../../api/byCursor";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { PathsPage } from "../../api/types";
import { type PathsSearch, pathsQuery } from "./search";

const PAGE = 75;

const paths = (id: string, query: object, signal?: AbortSignal): Promise<PathsPage> =>
  bodyOf(api.GET("/api/assessments/{id}/paths", { params: { path: { id }, query }, ...(signal && { signal }) }));

// A saved assessment never changes.
const staleTime = Number.POSITIVE_INFINITY;

/** The worst attack paths and the changes that break most, without names, for which the service reads the graph. */
export const firstPaths = (assessmentId: string, limit: number) =>
  queryOptions({
    queryKey: ["paths", assessmentId, "first", limit],
    queryFn: ({ signal }) => paths(assessmentId, { limit }, signal),
    staleTime,
  });

/** The attack paths that fit, page by page; those that one change breaks are one row, but where that change is asked for. */
export const pathsPages = (assessmentId: string, search: PathsSearch) =>
  infiniteQueryOptions({
    queryKey: ["paths", assessmentId, pathsQuery(search)],
    ...byCursor((part, signal) =>
      paths(
        assessmentId,
        { ...pathsQuery(search), nodes: true, fold: search.change === undefined, limit: PAGE, ...part },
        signal,
      ),
    ),
    staleTime,
    placeholderData: keepPreviousData,
  });

/** One path, with the names of what it is about; it is not among the items when the assessment has no such path. */
export const pathQuery = (assessmentId: string, path: string) =>
  queryOptions({
    queryKey: ["paths", assessmentId, "one", path],
    queryFn: ({ signal }) => paths(assessmentId, { path, nodes: true, limit: 1 }, signal),
    staleTime,
  });

/** Every path that fits, for a file, with the names of what they are about. */
export async function everyPath(assessmentId: string, search: PathsSearch) {
  const nodes: PathsPage["nodes"] = [];
  const items = await everyRow(async (part) => {
    const page = await paths(assessmentId, { ...pathsQuery(search), nodes: true, ...part });
    nodes.push(...page.nodes);
    return page;
  });
  return { items, nodes };
}

import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import type { AttackPath, ColumnsAnswer, Finding } from "../../api/types";
import { COLUMNS_TYPE, decodeColumns, type PostureGraph } from "./columns";

export interface GraphAndPaths {
  graph: PostureGraph;
  paths: AttackPath[];
}

export const graphQuery = (assessmentId: string) =>
  queryOptions({
    queryKey: ["graph", assessmentId],
    queryFn: async ({ signal }): Promise<GraphAndPaths> => {
      const params = { query: { assessmentId }, header: { Accept: COLUMNS_TYPE } };
      const answer = (await bodyOf(api.GET("/api/posture/graph", { params, signal }))) as ColumnsAnswer;
      return { graph: decodeColumns(answer.graph), paths: answer.attackPaths };
    },
    // A saved assessment never changes, and comparing typed arrays would only cost.
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });

type Filter = { check?: string; zone?: string; resource?: string; q?: string };

const LONGEST = 5;

/** Open findings that a filter of the service narrows and a test decides; when they are too many, some of them. */
export async function findingsBy(
  assessmentId: string,
  filter: Filter,
  wanted: (finding: Finding) => boolean,
  signal: AbortSignal,
): Promise<Finding[]> {
  const items: Finding[] = [];
  let cursor = "";
  for (let page = 0; page < LONGEST; page++) {
    const query = { ...filter, limit: 1000, ...(cursor !== "" && { cursor }) };
    const params = { path: { id: assessmentId }, query };
    const answer = await bodyOf(api.GET("/api/assessments/{id}/findings", { params, signal }));
    items.push(...answer.items.filter(wanted));
    cursor = answer.nextCursor;
    if (cursor === "") return items;
  }
  return items;
}

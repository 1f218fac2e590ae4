import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";

const FOUND = 6;

/** Findings with the text in message, resource or check, worst first. */
export const foundQuery = (assessmentId: string | undefined, text: string) =>
  queryOptions({
    queryKey: ["findings", assessmentId ?? "", "palette", text],
    queryFn: async ({ signal }) => {
      const params = { path: { id: assessmentId ?? "" }, query: { q: text, limit: FOUND } };
      return (await bodyOf(api.GET("/api/assessments/{id}/findings", { params, signal }))).items;
    },
    enabled: assessmentId !== undefined && text !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });

import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import type { ExplainSearch } from "./search";

/** What happens to a request, by what an assessment read; that never changes. */
export const explainQuery = (
  assessmentId: string,
  url: string,
  { method, source, country, agent, header }: ExplainSearch,
) =>
  queryOptions({
    queryKey: ["explain", assessmentId, url, method, source, country, agent, header],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/explain", {
          params: {
            query: {
              url,
              assessmentId,
              ...(method && { method }),
              ...(source && { source }),
              ...(country && { country }),
              ...(agent && { userAgent: agent }),
              ...(header && { header: [header] }),
            },
          },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorPanel } from "./ErrorPanel";
import { More } from "./More";

type Pages = Pick<
  UseInfiniteQueryResult,
  "hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "error" | "fetchNextPage"
>;

/** Asks for the next page of a list, where there is one. */
export function NextPage({ pages, children }: { pages: Pages; children: ReactNode }) {
  if (!pages.hasNextPage) return null;
  return (
    <More onClick={() => pages.fetchNextPage()} disabled={pages.isFetchingNextPage}>
      {children}
    </More>
  );
}

/** Says what the list is without its next page, which failed, and asks for that again. */
export function NextPageError({ pages, what }: { pages: Pages; what: string }) {
  if (!pages.isFetchNextPageError) return null;
  return <ErrorPanel error={pages.error} what={what} onRetry={() => pages.fetchNextPage()} />;
}

/** Asks for the next page as the end of the list comes near; one that failed is asked for by hand. */
export function nearEnd(pages: Pages): void {
  if (pages.hasNextPage && !pages.isFetchingNextPage && !pages.isFetchNextPageError) void pages.fetchNextPage();
}

import type { UseQueryResult } from "@tanstack/react-query";
import { ErrorPanel } from "./ErrorPanel";
import { Skeleton } from "./Skeleton";

type Query = Pick<UseQueryResult, "isPending" | "isError" | "error" | "refetch">;

/** Says that a query failed, and asks again. */
export function QueryError({ query, what }: { query: Query; what: string }) {
  return query.isError && <ErrorPanel asked error={query.error} what={what} onRetry={() => query.refetch()} />;
}

interface Props {
  query: Query;
  /** What is asked for, as in "Loading the jobs" and "The jobs could not be loaded." */
  of: string;
  rows: number;
  tall?: boolean;
}

/** Stands where an answer comes: as its shape until it is there, or as why it did not come. */
export function QueryStatus({ query, of, ...shape }: Props) {
  if (query.isPending) return <Skeleton label={`Loading the ${of}`} {...shape} />;
  return <QueryError query={query} what={`The ${of} could not be loaded.`} />;
}

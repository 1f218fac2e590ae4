import { useRef } from "react";

interface Query {
  isPending: boolean;
  isError: boolean;
  error: Error | null;
  errorUpdateCount: number;
}

/**
 * A query that is asked again and again, with its error for as long as there is no answer.
 * TanStack Query calls one without data pending while it is asked again, so that what says that it
 * failed would come and go with every try.
 */
export function useKeptError<Q extends Query>(query: Q): Q {
  const last = useRef<Error>(null);
  if (query.error) last.current = query.error;
  if (!query.isPending || query.errorUpdateCount === 0 || !last.current) return query;
  const kept: Query = Object.create(query, {
    isPending: { value: false },
    isError: { value: true },
    error: { value: last.current },
  });
  return kept as Q;
}

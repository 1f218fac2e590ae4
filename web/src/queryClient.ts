import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { keyRing } from "./api/client";
import { asProblem, worthRetrying } from "./api/errors";

/**
 * To the library a query that has no answer yet is up to date once the one under way is there: what is changed while a
 * list is loaded for the first time would be missing in it. Here that answer is not waited for, and it is asked again.
 */
class Client extends QueryClient {
  override invalidateQueries<Key extends QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    if (options?.cancelRefetch !== false) {
      for (const query of this.getQueryCache().findAll({ ...filters, type: "active" }))
        if (query.state.data === undefined) void query.cancel({ silent: true });
    }
    return super.invalidateQueries(filters, options);
  }
}

export const queryClient: QueryClient = new Client({
  queryCache: new QueryCache({
    // Beside a page that cannot reach the service, the header must not call it healthy until it asks next.
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== "health" && asProblem(error).status === 0)
        void queryClient.invalidateQueries({ queryKey: ["health"] }, { cancelRefetch: false });
    },
  }),
  // Who declined to sign in and then does something is asked again, as by useSend.
  mutationCache: new MutationCache({ onMutate: () => keyRing.askAgain() }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 1 && worthRetrying(error),
      retryDelay: 1_000,
      refetchOnWindowFocus: true,
      // The service is usually on this very machine, so the browser's idea of being online says nothing.
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

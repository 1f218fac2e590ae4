import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { keyRing } from "./api/client";
import { asProblem, worthRetrying } from "./api/errors";

export const queryClient: QueryClient = new QueryClient({
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

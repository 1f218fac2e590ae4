import { QueryClient } from "@tanstack/react-query";
import { worthRetrying } from "./api/errors";

export const queryClient = new QueryClient({
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

import type { QueryClient, QueryKey } from "@tanstack/react-query";

/** Shows what a change was answered with; an answer to what was asked before it would undo that, and is not waited for. */
export function showAnswer(client: QueryClient, queryKey: QueryKey, answer: object): void {
  void client.cancelQueries({ queryKey, exact: true });
  client.setQueryData(queryKey, answer);
}

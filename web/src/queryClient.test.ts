import { QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { queryClient } from "./queryClient";

it("shows a change that was made while a list was loaded for the first time", async () => {
  const answers: ((list: string[]) => void)[] = [];
  const queryKey = ["views"];
  const list = new QueryObserver(queryClient, {
    queryKey,
    queryFn: () => new Promise<string[]>((answer) => answers.push(answer)),
  });
  const leave = list.subscribe(() => {});
  const changed = queryClient.invalidateQueries({ queryKey });
  const [before, after] = answers;
  before?.([]);
  after?.(["new"]);
  await changed;
  expect(list.getCurrentResult().data).toEqual(["new"]);
  leave();
  queryClient.clear();
});

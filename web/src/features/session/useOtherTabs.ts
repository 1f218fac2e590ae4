import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { hearOtherTabs, tellOtherTabs } from "../../api/otherTabs";
import { sessionQuery } from "./queries";

/** Two windows side by side are both looked at all the time: who signs in in one changes who the other sends as. */
export function useOtherTabs(): void {
  const client = useQueryClient();
  const { data: who } = useQuery(sessionQuery);
  const actor = who?.actor;
  useEffect(() => hearOtherTabs(() => void client.invalidateQueries({ queryKey: sessionQuery.queryKey })), [client]);
  useEffect(() => {
    if (actor !== undefined) tellOtherTabs();
  }, [actor]);
}

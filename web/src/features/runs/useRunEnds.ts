import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { activeJobs, runEnded } from "./queries";

/** A run may end while another page is shown; its result must not wait for a reload. */
export function useRunEnds(): void {
  const client = useQueryClient();
  const { data } = useQuery(activeJobs);
  const before = useRef<string[]>([]);
  useEffect(() => {
    if (!data) return;
    const ids = data.map((job) => job.id);
    const gone = before.current.some((id) => !ids.includes(id));
    before.current = ids;
    if (gone) runEnded(client);
  }, [data, client]);
}

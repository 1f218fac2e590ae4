import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Job } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { accountOf, accountsQuery } from "../account/queries";
import { activeJobs, runEnded } from "./queries";

/**
 * A run may end while another page is shown; its result must not wait for a reload. The words are for those who do not
 * see that the mark of the run is gone.
 */
export function useRunEnds(): string {
  const client = useQueryClient();
  const { data } = useQuery(activeJobs);
  const { data: accounts } = useQuery(accountsQuery);
  const before = useRef<Job[]>([]);
  const [ended, setEnded] = useState<Job[]>([]);
  useEffect(() => {
    if (!data) {
      // Somebody else is there, who may not see what was at work.
      before.current = [];
      setEnded([]);
      return;
    }
    const gone = before.current.filter(({ id }) => !data.some((job) => job.id === id));
    before.current = data;
    if (gone.length > 0) runEnded(client);
    if (gone.length > 0 || data.length > 0) setEnded(gone);
  }, [data, client]);
  const [one, more] = ended;
  if (!one) return "";
  if (more) return `${plural(ended.length, "run")} have ended.`;
  return `The run of ${visible(accountOf(accounts, one.account)?.name ?? "a one-off token")} has ended.`;
}

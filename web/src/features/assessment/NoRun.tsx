import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { visible } from "../../lib/visible";
import { Empty } from "../../ui/Empty";
import { accountOf, accountsQuery } from "../account/queries";
import { jobProblem } from "../runs/jobProblem";
import { activeJobs, lastRun } from "../runs/queries";
import { useMay } from "../session/queries";

/** In place of a page about an assessment that an account does not have yet. */
export function NoRun({ account }: { account: string }) {
  const may = useMay();
  const jobs = useQuery(activeJobs);
  const accounts = useQuery(accountsQuery);
  const id = accountOf(accounts.data, account)?.id;
  const { data: last } = useQuery({ ...lastRun(id ?? ""), enabled: id !== undefined });
  const running = jobs.data?.some((job) => job.kind === "assess" && job.account === id);
  const to = { to: "/a/$a", params: { a: account } } as const;
  if (running) {
    return (
      <Empty title="The first assessment is running" action={<Link {...to}>See how far it is</Link>}>
        This page shows its result once it has ended.
      </Empty>
    );
  }
  if (last?.state === "failed") {
    return (
      <Empty title="No assessment yet: the last run failed" action={<Link {...to}>See what to do about it</Link>}>
        {visible(jobProblem(last).detail)}
      </Empty>
    );
  }
  return (
    <Empty
      title="No assessment yet"
      action={<Link {...to}>{id !== undefined && may("operator", id) ? "Start the first run" : "Overview"}</Link>}
    >
      This account has not been assessed so far.
    </Empty>
  );
}

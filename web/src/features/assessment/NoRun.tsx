import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Empty } from "../../ui/Empty";
import { accountOf, accountsQuery } from "../account/queries";
import { activeJobs } from "../runs/queries";

/** In place of a page about an assessment that an account does not have yet. */
export function NoRun({ account }: { account: string }) {
  const jobs = useQuery(activeJobs);
  const accounts = useQuery(accountsQuery);
  const id = accountOf(accounts.data, account)?.id;
  const running = jobs.data?.some((job) => job.kind === "assess" && job.account === id);
  const to = { to: "/a/$a", params: { a: account } } as const;
  if (running) {
    return (
      <Empty title="The first assessment is running" action={<Link {...to}>See how far it is</Link>}>
        This page shows its result once it has ended.
      </Empty>
    );
  }
  return (
    <Empty title="No assessment yet" action={<Link {...to}>Start the first run</Link>}>
      This account has not been assessed so far.
    </Empty>
  );
}

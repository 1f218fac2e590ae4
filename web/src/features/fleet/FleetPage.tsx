import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { asProblem } from "../../api/errors";
import type { Account } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { plural } from "../../lib/number";
import { useSearchState } from "../../lib/useSearchState";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { ButtonLink } from "../../ui/ButtonLink";
import type { CsvColumn } from "../../ui/csv";
import { DataTable } from "../../ui/DataTable";
import { Empty } from "../../ui/Empty";
import { ListTools } from "../../ui/ListTools";
import { PageHead } from "../../ui/PageHead";
import { QueryError, QueryStatus } from "../../ui/QueryStatus";
import { ShowMore } from "../../ui/ShowMore";
import { useColumns } from "../../ui/useColumns";
import { DemoBanner } from "../account/DemoBanner";
import { accountsQuery, addressOf } from "../account/queries";
import { activeJobs, failedRuns, lastRun, startRun } from "../runs/queries";
import { useMay } from "../session/queries";
import styles from "./FleetPage.module.css";
import { fleetColumns } from "./fleetColumns";
import { endedAfter, type FleetRow, found, nextRunOf, ordered, SORT_WORDS, tokenOf } from "./order";
import { schedulesQuery, useNewest } from "./queries";

const route = getRouteApi("/");

const CSV: CsvColumn<FleetRow>[] = [
  ["account", ({ account }) => account.name],
  ["provider_id", ({ account }) => account.providerId ?? ""],
  ["score", ({ latest }) => (latest ? String(latest.score.value) : "")],
  ["grade", ({ latest }) => latest?.score.grade ?? ""],
  ["critical", ({ latest }) => String(latest?.summary.bySeverity?.critical ?? "")],
  ["high", ({ latest }) => String(latest?.summary.bySeverity?.high ?? "")],
  ["attack_paths", ({ latest }) => String(latest?.attackPaths ?? "")],
  ["coverage_percent", ({ latest }) => String(latest?.coverage.percent ?? "")],
  ["assessed", ({ latest }) => latest?.completedAt ?? ""],
  // How the newest run ended that left no assessment, and when.
  ["unassessed_run", ({ attempt }) => (attempt === null ? "never" : (attempt?.state ?? ""))],
  ["unassessed_run_ended", ({ attempt }) => attempt?.finishedAt ?? ""],
  ["next_run", ({ nextRun }) => nextRun ?? ""],
  ["token_status", (row) => tokenOf(row)?.status ?? ""],
  ["token_expires", (row) => tokenOf(row)?.expiresOn ?? ""],
  ["state", ({ job }) => (job === null ? "idle" : (job?.state ?? ""))],
];

/** Every account this service looks after, one row each. */
export function FleetPage() {
  const accounts = useQuery(accountsQuery);
  return (
    <>
      <title>Accounts · Edgeposture</title>
      {!accounts.data && <h1>Accounts</h1>}
      <QueryStatus query={accounts} of="accounts" rows={6} />
      {accounts.data?.length === 0 && <FirstRun />}
      {accounts.data && accounts.data.length > 0 && <Fleet accounts={accounts.data} />}
    </>
  );
}

function FirstRun() {
  const may = useMay();
  if (!may("operator", "all"))
    return (
      <>
        <h1>Accounts</h1>
        <Empty title="No account for you yet">
          None is registered here, or your roles are for others. Ask an administrator.
        </Empty>
      </>
    );
  return (
    <>
      <h1>Accounts</h1>
      <Empty
        title="No account yet"
        action={
          <ButtonLink to="/accounts/new" look="primary">
            Add an account
          </ButtonLink>
        }
      >
        Register a Cloudflare account with a token that may read it, or set <code>CLOUDFLARE_API_TOKEN</code> and
        restart the service. Nothing is changed in an account that is assessed.
      </Empty>
    </>
  );
}

function Fleet({ accounts }: { accounts: Account[] }) {
  const [search, set] = useSearchState(route.useSearch(), true);
  const may = useMay();
  const jobs = useKeptError(useQuery(activeJobs));
  const schedules = useQuery(schedulesQuery);
  const failures = useKeptError(useQuery(failedRuns));
  const newest = useKeptError(useNewest());
  const attempts = useQueries({
    queries: accounts.map((account) => ({
      ...lastRun(account.id),
      enabled: newest.data?.has(addressOf(account)) === false && failures.data?.all === false,
      refetchInterval: 30_000,
    })),
  });
  const [chosen, setChosen] = useState<readonly string[]>([]);

  const rows: FleetRow[] = accounts.map((account, i) => {
    const latest = newest.data?.get(addressOf(account));
    const job = jobs.data && (jobs.data.find((job) => job.account === account.id) ?? null);
    const failed = failures.data?.runs.filter((run) => run.account === account.id);
    const attempt = () => {
      if (latest) return failed?.find((run) => endedAfter(run, latest));
      if (!failures.data?.all) return attempts[i]?.data;
      return newest.data && job !== undefined ? (job ?? failed?.[0] ?? null) : undefined;
    };
    return {
      account,
      latest,
      attempt: attempt(),
      job,
      nextRun: schedules.data && nextRunOf(schedules.data, account.id),
    };
  });
  const listed = ordered(found(rows, search.q), search.sort);
  // What a search hides is not run.
  const seen = listed.map(({ account }) => account);
  const table = useColumns<FleetRow>({
    columns: fleetColumns({ rows: listed, able: (id) => may("operator", id), chosen, onChoose: setChosen }),
    rows: listed,
    search,
    set,
  });

  return (
    <>
      <PageHead
        title="Accounts"
        actions={may("operator", "all") && <ButtonLink to="/accounts/new">Add an account</ButtonLink>}
      >
        {plural(accounts.length, "account")}
      </PageHead>
      {accounts.length > 0 && accounts.every((account) => account.demo) && <DemoBanner />}
      {accounts.map((account) => account.tokenWarning && <TokenWarning key={account.id} account={account} />)}
      <QueryError query={newest} what="The latest assessments could not be loaded." />
      <QueryError query={jobs} what="Running jobs are not known." />
      <QueryError query={schedules} what="The schedules are not known." />
      <QueryError query={failures} what="Failed jobs are not known." />
      <ListTools
        of="accounts"
        hint="Search by name or id"
        search={search}
        set={set}
        sorts={SORT_WORDS}
        table={table}
        csv={{ name: "accounts", columns: CSV, rows: () => listed }}
      />
      {may("operator", "some") && (
        <RunMany accounts={seen.filter(({ id }) => chosen.includes(id))} onDone={() => setChosen([])} />
      )}
      {listed.length > 0 ? (
        <ShowMore of={listed} word={["account", "accounts"]} step={100}>
          {({ length }) => (
            <DataTable
              caption="Accounts"
              table={table}
              rowKey={({ account }) => account.id}
              most={length}
              busy={newest.isPending}
            />
          )}
        </ShowMore>
      ) : (
        <Empty
          title="No account has this in its name or id"
          action={<Button onClick={() => set({ q: undefined })}>Show all accounts</Button>}
        />
      )}
    </>
  );
}

function TokenWarning({ account }: { account: Account }) {
  return (
    <Banner
      title={`${visible(account.name)}:`}
      actions={
        <Link to="/a/$a" params={{ a: addressOf(account) }}>
          Show the account
        </Link>
      }
    >
      {visible(account.tokenWarning ?? "")}
    </Banner>
  );
}

/** Starts a run of each chosen account. What does not start is said with its reason, and stays chosen. */
function RunMany({ accounts, onDone }: { accounts: Account[]; onDone: () => void }) {
  const client = useQueryClient();
  const start = useMutation({
    mutationFn: async (all: Account[]) => {
      const answers = await Promise.allSettled(all.map(({ id }) => startRun({ account: id })));
      return all.flatMap((account, i) => {
        const answer = answers[i];
        return answer?.status === "rejected" ? [{ account, reason: asProblem(answer.reason).detail }] : [];
      });
    },
    onSuccess: (refused) => refused.length === 0 && onDone(),
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }),
  });
  return (
    <>
      <div className={styles.bar}>
        <Button
          look="primary"
          disabled={accounts.length === 0 || start.isPending}
          onClick={() => start.mutate(accounts)}
        >
          {accounts.length === 0 ? "Assess selected accounts" : `Assess ${plural(accounts.length, "account")}`}
        </Button>
      </div>
      {start.data && start.data.length > 0 && (
        <div role="alert" className={styles.refused}>
          <strong>{plural(start.data.length, "run")} did not start.</strong>
          <ul>
            {start.data.map(({ account, reason }) => (
              <li key={account.id}>
                {visible(account.name)}: {visible(reason)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

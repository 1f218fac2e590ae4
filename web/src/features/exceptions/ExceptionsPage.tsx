import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Exception } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import filter from "../../ui/Filter.module.css";
import { PageHead } from "../../ui/PageHead";
import { SearchBox } from "../../ui/SearchBox";
import { Skeleton } from "../../ui/Skeleton";
import { accountOf, accountsQuery, addressOf } from "../account/queries";
import { useMay } from "../session/queries";
import { ExceptionForm } from "./ExceptionForm";
import { ExceptionRow } from "./ExceptionRow";
import { filtered } from "./filter";
import { exceptionsQuery } from "./queries";
import { type ExceptionsSearch, STATES } from "./search";

const CSV: CsvColumn<Exception>[] = [
  ["state", ({ state }) => state],
  ["account", ({ account }) => account ?? ""],
  ["checks", ({ match }) => (match.checkIds ?? []).join(" ")],
  ["severities", ({ match }) => (match.severities ?? []).join(" ")],
  ["zones", ({ match }) => (match.zones ?? []).join(" ")],
  ["resources", ({ match }) => (match.resourceIds ?? []).join(" ")],
  ["pattern", ({ match }) => match.pattern ?? ""],
  ["hides", ({ hides }) => String(hides)],
  ["reason", ({ reason }) => reason],
  ["owner", ({ owner }) => owner],
  ["created", ({ createdAt }) => createdAt],
  ["ends", ({ expiresAt }) => expiresAt ?? ""],
  ["revoked", ({ revokedAt }) => revokedAt ?? ""],
];

const route = getRouteApi("/exceptions");

/** Accepted risks: which, by whom, until when, and what each hides now. */
export function ExceptionsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const exceptions = useQuery(exceptionsQuery);
  const accounts = useQuery(accountsQuery);
  const rows = filtered(exceptions.data ?? [], search);
  const change = (part: ExceptionsSearch) =>
    navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const all = { state: undefined, account: undefined, q: undefined, exception: undefined };
  return (
    <>
      <title>Exceptions · Edgeposture</title>
      <PageHead
        title="Exceptions"
        actions={
          may("analyst", "some") && (
            <Link to="/exceptions" search={{ ...search, edit: "new" }}>
              New exception
            </Link>
          )
        }
      >
        Accepted risks. They change no result and no score.
      </PageHead>
      {/* Not before the accounts are known: an exception for one must not become one for all. */}
      {search.edit === "new" && accounts.isPending && <Skeleton label="Loading the accounts" rows={4} />}
      {search.edit === "new" && accounts.data && (
        <ExceptionForm accounts={accounts.data} onClose={() => change({ edit: undefined })} />
      )}
      {accounts.isError && (
        <ErrorPanel
          error={accounts.error}
          what="The accounts could not be loaded."
          onRetry={() => accounts.refetch()}
        />
      )}
      <search className={filter.line} aria-label="Filter the exceptions">
        <select
          aria-label="State"
          value={search.state ?? ""}
          onChange={({ target }) => change({ state: (target.value || undefined) as ExceptionsSearch["state"] })}
        >
          <option value="">All states</option>
          {STATES.map((state) => (
            <option key={state} value={state}>
              {state}
            </option>
          ))}
        </select>
        <select
          aria-label="Account"
          value={search.account ?? ""}
          onChange={({ target }) => change({ account: target.value || undefined })}
        >
          <option value="">All accounts</option>
          {(accounts.data ?? []).map((account) => (
            <option key={account.id} value={addressOf(account)}>
              {visible(account.name)}
            </option>
          ))}
        </select>
        <SearchBox
          label="Text in reason, owner or match"
          placeholder="Text in reason, owner, match"
          value={search.q}
          onChange={(q) => change({ q })}
        />
        <CsvButton name="exceptions" columns={CSV} rows={() => rows} />
        <span className={filter.count} role="status">
          {exceptions.data && plural(rows.length, "exception")}
        </span>
      </search>
      {exceptions.isPending && <Skeleton label="Loading the exceptions" rows={6} />}
      {exceptions.isError && (
        <ErrorPanel
          error={exceptions.error}
          what="The exceptions could not be loaded."
          onRetry={() => exceptions.refetch()}
        />
      )}
      {exceptions.data?.length === 0 && (
        <Empty title="No exception yet">No risk is accepted: every open finding is in the lists.</Empty>
      )}
      {exceptions.data && exceptions.data.length > 0 && rows.length === 0 && (
        <Empty
          title="No exception matches the filters"
          action={<Button onClick={() => change(all)}>Clear the filters</Button>}
        />
      )}
      {rows.length > 0 && (
        <div className={table.frame}>
          <table className={table.table}>
            <caption className="visually-hidden">Exceptions, newest first</caption>
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Is about</th>
                <th scope="col">Hides now</th>
                <th scope="col">Reason and owner</th>
                <th scope="col">Ends</th>
                <th scope="col">Revoke</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((exception) => (
                <ExceptionRow
                  key={exception.id}
                  exception={exception}
                  account={
                    exception.account && (accountOf(accounts.data, exception.account)?.name ?? exception.account)
                  }
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

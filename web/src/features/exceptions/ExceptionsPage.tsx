import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { Exception } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { plural } from "../../lib/number";
import { useSearchState } from "../../lib/useSearchState";
import { Button } from "../../ui/Button";
import { ButtonLink } from "../../ui/ButtonLink";
import type { CsvColumn } from "../../ui/csv";
import { DataTable } from "../../ui/DataTable";
import { Empty } from "../../ui/Empty";
import { ListTools } from "../../ui/ListTools";
import { oneOf, onlyTakenOff } from "../../ui/oneOf";
import { PageHead } from "../../ui/PageHead";
import { QueryError, QueryStatus } from "../../ui/QueryStatus";
import { ShowMore } from "../../ui/ShowMore";
import { Skeleton } from "../../ui/Skeleton";
import { useColumns } from "../../ui/useColumns";
import { accountNames, accountOf, accountsQuery } from "../account/queries";
import { Needs } from "../session/Needs";
import { useMay } from "../session/queries";
import { ExceptionForm } from "./ExceptionForm";
import { exceptionColumns } from "./exceptionColumns";
import { filtered } from "./filter";
import { exceptionsQuery } from "./queries";
import { NO_FILTER, SORT_WORDS, STATES } from "./search";

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
  const [search, change] = useSearchState(route.useSearch(), true);
  const may = useMay();
  const edits = search.edit === "new" && may("analyst", "some");
  const exceptions = useQuery(exceptionsQuery);
  const accounts = useKeptError(useQuery(accountsQuery));
  // Not before the accounts are known: an exception for one must not become one for all.
  const waits = edits && accounts.isPending;
  const rows = filtered(exceptions.data ?? [], search);
  const table = useColumns<Exception>({
    columns: exceptionColumns((id) => accountOf(accounts.data, id)?.name ?? id),
    rows,
    search,
    set: change,
  });
  const names = accountNames(accounts.data);
  return (
    <>
      <title>Exceptions · Edgeposture</title>
      <PageHead
        title="Exceptions"
        actions={
          may("analyst", "some") && (
            <ButtonLink to="/exceptions" search={{ ...search, edit: "new" }}>
              New exception
            </ButtonLink>
          )
        }
      >
        Accepted risks. They change no result and no score.
      </PageHead>
      {search.edit === "new" && <Needs atLeast="analyst" where="some" what="Accepting risks" />}
      {waits && <Skeleton label="Loading the accounts" rows={4} />}
      {edits && accounts.data && <ExceptionForm accounts={accounts.data} onClose={() => change({ edit: undefined })} />}
      <QueryError query={accounts} what="The accounts could not be loaded." />
      {!waits && (
        <>
          <ListTools
            of="exceptions"
            hint="Text in reason, owner, match"
            search={search}
            set={change}
            fields={[
              oneOf("State", STATES, search.state, undefined, (state) => change({ state })),
              oneOf("Account", names, search.account, undefined, (account) => change({ account })),
              onlyTakenOff("Only", search.exception, "one exception", () => change({ exception: undefined })),
            ]}
            onClear={() => change(NO_FILTER)}
            sorts={SORT_WORDS}
            table={table}
            csv={{ name: "exceptions", columns: CSV, rows: () => rows }}
            count={exceptions.data && plural(rows.length, "exception")}
          />
          <QueryStatus query={exceptions} of="exceptions" rows={6} />
          {exceptions.data?.length === 0 && (
            <Empty title="No exception yet">No risk is accepted: every open finding is in the lists.</Empty>
          )}
          {exceptions.data && exceptions.data.length > 0 && rows.length === 0 && (
            <Empty
              title="No exception matches the filters"
              action={<Button onClick={() => change(NO_FILTER)}>Clear the filters</Button>}
            />
          )}
          {rows.length > 0 && (
            <ShowMore of={rows} word={["exception", "exceptions"]} step={100}>
              {({ length }) => <DataTable caption="Exceptions" table={table} rowKey={({ id }) => id} most={length} />}
            </ShowMore>
          )}
        </>
      )}
    </>
  );
}

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { byCursor } from "../../api/byCursor";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { AuditEntry } from "../../api/types";
import { useSearchState } from "../../lib/useSearchState";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import type { CsvColumn } from "../../ui/csv";
import { DataTable } from "../../ui/DataTable";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { ListTools } from "../../ui/ListTools";
import { NextPage } from "../../ui/NextPage";
import { oneOf } from "../../ui/oneOf";
import { PageHead } from "../../ui/PageHead";
import { QueryStatus } from "../../ui/QueryStatus";
import { useColumns } from "../../ui/useColumns";
import { useMay } from "../session/queries";
import { AUDIT_COLUMNS } from "./auditColumns";
import { auditQuery, NO_FILTER, OUTCOMES } from "./search";

const route = getRouteApi("/audit");

const CSV: CsvColumn<AuditEntry>[] = [
  ["number", ({ seq }) => String(seq)],
  ["at", ({ at }) => at],
  ["actor", ({ actor }) => actor],
  ["address", ({ address }) => address ?? ""],
  ["action", ({ action }) => action],
  ["type", ({ target }) => target.type],
  ["id", ({ target }) => target.id],
  ["detail", ({ detail }) => detail ?? ""],
  ["outcome", ({ outcome }) => outcome],
  ["code", ({ code }) => code ?? ""],
  ["times", ({ count }) => String(count)],
  ["hash", ({ hash }) => hash],
];

/** Who did what with this service. */
export function AuditPage() {
  const [search, set] = useSearchState(route.useSearch(), true);
  const able = useMay()("administrator", "all");
  const query = auditQuery(search);
  const list = useInfiniteQuery({
    queryKey: ["audit", query],
    ...byCursor((part, signal) =>
      bodyOf(api.GET("/api/audit", { params: { query: { limit: 100, ...query, ...part } }, signal })),
    ),
  });
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  const table = useColumns<AuditEntry>({
    columns: AUDIT_COLUMNS,
    rows,
    search,
    set,
  });
  return (
    <>
      <title>Audit log · Edgeposture</title>
      <PageHead title="Audit log">Each entry holds the hash of the one before, so a change shows.</PageHead>
      {able && <Chain />}
      {able && (
        <ListTools
          of="audit log"
          search={search}
          set={set}
          fields={[
            oneOf("Outcome", OUTCOMES, search.outcome, undefined, (outcome) => set({ outcome })),
            oneOf("Action", seen(rows, search.action, "action"), search.action, undefined, (action) => set({ action })),
            oneOf("Who", seen(rows, search.actor, "actor"), search.actor, undefined, (actor) => set({ actor })),
          ]}
          onClear={() => set(NO_FILTER)}
          table={table}
          csv={{
            name: "audit-log",
            columns: CSV,
            rows: () => everyRow((part) => bodyOf(api.GET("/api/audit", { params: { query: { ...query, ...part } } }))),
          }}
        />
      )}
      <QueryStatus query={list} of="audit log" rows={8} />
      {list.isSuccess &&
        rows.length === 0 &&
        (Object.keys(query).length > 0 ? (
          <Empty
            title="No entry matches the filters"
            action={<Button onClick={() => set(NO_FILTER)}>Show all entries</Button>}
          />
        ) : (
          <Empty title="No entry yet" />
        ))}
      {rows.length > 0 && (
        <DataTable caption="Audit log, newest first" table={table} rowKey={({ seq }) => String(seq)} />
      )}
      <NextPage pages={list}>Show older</NextPage>
    </>
  );
}

/** The words of the entries that are loaded, and the one that is chosen. */
function seen(rows: readonly AuditEntry[], chosen: string | undefined, of: "action" | "actor"): Record<string, string> {
  const words = new Set([...rows.map((row) => row[of]), ...(chosen === undefined ? [] : [chosen])]);
  return Object.fromEntries([...words].sort().map((word) => [word, word]));
}

/** Walks the whole chain, which takes a while in a long log, so it is asked for. */
function Chain() {
  const { pending, error, send } = useSend();
  const [answer, setAnswer] = useState<{ holds: boolean; broken: string; head: string }>();
  const verify = () =>
    send(async () => {
      const query = { verify: true, limit: 1 };
      const log = await bodyOf(api.GET("/api/audit", { params: { query } }));
      setAnswer({ holds: log.verified === true, broken: log.broken ?? "", head: `${log.head.seq}:${log.head.hash}` });
    });
  return (
    <>
      <div className={form.actions}>
        <Button onClick={verify} disabled={pending}>
          Verify the chain
        </Button>
      </div>
      {Boolean(error) && <ErrorPanel error={error} what="The chain was not verified." onRetry={verify} />}
      {answer && (
        <div role="status">
          <Banner title={answer.holds ? "The chain holds." : "The chain does not hold:"}>
            {answer.holds ? (
              <>
                Note its head elsewhere: <code>{answer.head}</code>
              </>
            ) : (
              visible(answer.broken)
            )}
          </Banner>
        </div>
      )}
    </>
  );
}

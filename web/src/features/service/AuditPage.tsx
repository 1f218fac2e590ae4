import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { AuditEntry } from "../../api/types";
import { integer } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { At } from "../../ui/At";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { More } from "../../ui/More";
import { PageHead } from "../../ui/PageHead";
import { Skeleton } from "../../ui/Skeleton";
import { type AuditSearch, OUTCOMES, type Outcome } from "./search";

const route = getRouteApi("/audit");

const asked = ({ outcome, action }: AuditSearch) => ({ ...(outcome && { outcome }), ...(action && { action }) });

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
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery({
    queryKey: ["audit", search],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 100, ...asked(search), ...(pageParam !== "" && { cursor: pageParam }) };
      return bodyOf(api.GET("/api/audit", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor || undefined,
  });
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  const filtered = search.outcome !== undefined || search.action !== undefined;
  return (
    <>
      <title>Audit log · Edgeposture</title>
      <PageHead
        title="Audit log"
        actions={
          <>
            <CsvButton
              name="audit-log"
              columns={CSV}
              rows={() =>
                everyRow((part) => bodyOf(api.GET("/api/audit", { params: { query: { ...asked(search), ...part } } })))
              }
            />
            <select
              aria-label="Outcome"
              value={search.outcome ?? ""}
              onChange={({ target }) =>
                navigate({
                  search: (before) => ({ ...before, outcome: (target.value || undefined) as Outcome | undefined }),
                  replace: true,
                })
              }
            >
              <option value="">All outcomes</option>
              {OUTCOMES.map((outcome) => (
                <option key={outcome} value={outcome}>
                  {outcome}
                </option>
              ))}
            </select>
          </>
        }
      >
        Each entry holds the hash of the one before, so a change shows.
      </PageHead>
      <Chain />
      {list.isPending && <Skeleton label="Loading the audit log" rows={8} />}
      {list.isError && (
        <ErrorPanel error={list.error} what="The audit log could not be loaded." onRetry={() => list.refetch()} />
      )}
      {list.isSuccess && rows.length === 0 && (
        <Empty
          title={filtered ? "No entry matches the filter" : "No entry yet"}
          action={filtered && <Button onClick={() => navigate({ search: {} })}>Show all entries</Button>}
        />
      )}
      {rows.length > 0 && (
        <div className={table.frame}>
          <table className={table.table}>
            <caption className="visually-hidden">Audit log, newest first</caption>
            <thead>
              <tr>
                <th scope="col">No.</th>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">Action</th>
                <th scope="col">What</th>
                <th scope="col">Outcome</th>
                <th scope="col">Times</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((entry) => (
                <tr key={entry.seq}>
                  <td data-label="No.">{integer(entry.seq)}</td>
                  <td data-label="When">
                    <At at={entry.at} />
                  </td>
                  <td data-label="Who" className={table.text}>
                    {visible(entry.actor)} <span className={table.muted}>{visible(entry.address ?? "")}</span>
                  </td>
                  <td data-label="Action">{entry.action}</td>
                  <td data-label="What" className={table.text}>
                    {visible(`${entry.target.type} ${entry.target.id}`.trim())}{" "}
                    <span className={table.muted}>{visible(entry.detail ?? "")}</span>
                  </td>
                  <td data-label="Outcome">
                    {entry.outcome}
                    {entry.code && ` (${entry.code.replaceAll("_", " ")})`}
                  </td>
                  <td data-label="Times">{integer(entry.count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.hasNextPage && (
        <More onClick={() => list.fetchNextPage()} disabled={list.isFetchingNextPage}>
          Show older
        </More>
      )}
    </>
  );
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

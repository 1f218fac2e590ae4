import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { byCursor } from "../../api/byCursor";
import { api, bodyOf } from "../../api/client";
import { everyRow } from "../../api/everyRow";
import type { Delivery } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { integer } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { NextPage } from "../../ui/NextPage";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { Until } from "../../ui/Until";
import { When } from "../../ui/When";
import { ASYNC } from "../remediation/queries";
import { useMay } from "../session/queries";
import { DELIVERY_STATES, type DeliveryState, targetWord } from "./search";

interface Props {
  page: "/siem" | "/notifications";
  targets: string;
  state: DeliveryState | undefined;
}

const CSV: CsvColumn<Delivery>[] = [
  ["at", ({ updatedAt }) => updatedAt],
  ["account", ({ account }) => account.name],
  ["target", ({ target }) => target],
  ["destination", ({ destination }) => destination],
  ["state", ({ state }) => state],
  ["documents", ({ documents }) => String(documents)],
  ["sent", ({ sent }) => String(sent)],
  ["refused", ({ failed }) => String(failed)],
  ["tries", ({ attempts }) => String(attempts)],
  ["reason", ({ reason }) => reason ?? ""],
  ["id", ({ id }) => id],
];

/** What was sent, where to, and why not everything was. */
export function Deliveries({ page, targets, state }: Props) {
  const filter = { target: targets, ...(state && { state }) };
  const list = useKeptError(
    useInfiniteQuery({
      queryKey: ["deliveries", targets, state ?? ""],
      ...byCursor((part, signal) =>
        bodyOf(api.GET("/api/deliveries", { params: { query: { ...filter, limit: 50, ...part } }, signal })),
      ),
      refetchInterval: 10_000,
    }),
  );
  const rows = list.data?.pages.flatMap((each) => each.items) ?? [];
  return (
    <Panel
      title="Deliveries"
      aside={
        rows.length > 0 && (
          <CsvButton
            name="deliveries"
            columns={CSV}
            rows={() =>
              everyRow((part) => bodyOf(api.GET("/api/deliveries", { params: { query: { ...filter, ...part } } })))
            }
          />
        )
      }
    >
      <nav className={form.tabs} aria-label="State">
        <Link to={page} activeOptions={{ exact: true }}>
          All
        </Link>
        {DELIVERY_STATES.map((each) => (
          <Link key={each} to={page} search={{ state: each }} activeOptions={{ exact: true }}>
            {each}
          </Link>
        ))}
      </nav>
      <QueryStatus query={list} of="deliveries" rows={4} />
      {list.isSuccess && rows.length === 0 && (
        <Empty title={state ? `No delivery is ${state}` : "Nothing was sent yet"}>
          {state ? undefined : "Deliveries appear here when something is sent by hand or after a run."}
        </Empty>
      )}
      {rows.length > 0 && (
        <div className={table.frame}>
          <table className={table.table}>
            <caption className="visually-hidden">Deliveries, newest first</caption>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Target</th>
                <th scope="col">State</th>
                <th scope="col">Sent</th>
                <th scope="col">Tries</th>
                <th scope="col">Reason</th>
                <th scope="col">
                  <span className="visually-hidden">Replay</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <NextPage pages={list}>Show older</NextPage>
    </Panel>
  );
}

function Row({ row }: { row: Delivery }) {
  const client = useQueryClient();
  const may = useMay();
  const { pending, error, send } = useSend();
  const replay = () =>
    send(async () => {
      await bodyOf(
        api.POST("/api/deliveries/{id}/replay", { params: { path: { id: row.id }, header: ASYNC } }) as Promise<{
          data?: unknown;
          error?: unknown;
          response: Response;
        }>,
      );
      await client.invalidateQueries({ queryKey: ["deliveries"] });
    });
  return (
    <tr>
      <td data-label="When">
        <Link to="/jobs/$id" params={{ id: row.jobId }}>
          <When at={row.updatedAt} />
        </Link>
      </td>
      <td data-label="Target" className={table.text}>
        {targetWord(row.target)} <span className="muted">{visible(row.destination)}</span>
      </td>
      <td data-label="State">
        {row.state} {row.nextAt && <Until at={row.nextAt} />}
      </td>
      <td data-label="Sent">
        {integer(row.sent)} of {integer(row.documents)}
        {row.failed > 0 && `, ${integer(row.failed)} refused`}
      </td>
      <td data-label="Tries">{integer(row.attempts)}</td>
      <td data-label="Reason" className={table.text}>
        {visible(row.reason ?? "")}
        {Boolean(error) && <ErrorPanel error={error} what="It was not replayed." onRetry={replay} />}
      </td>
      <td data-label="">
        {row.state === "failed" && may("operator", row.account.id) && (
          <Button onClick={replay} disabled={pending} aria-label={`Replay the delivery to ${targetWord(row.target)}`}>
            Replay
          </Button>
        )}
      </td>
    </tr>
  );
}

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import { refusedWith } from "../../api/errors";
import { everyRow } from "../../api/everyRow";
import type { Backup, BackupDetail } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { integer } from "../../lib/number";
import { visible } from "../../lib/visible";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import form from "../../ui/Form.module.css";
import { NextPage } from "../../ui/NextPage";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { PlainTable } from "../../ui/PlainTable";
import { QueryStatus } from "../../ui/QueryStatus";
import { ShowMore } from "../../ui/ShowMore";
import { When } from "../../ui/When";
import { accountOf, accountsQuery } from "../account/queries";
import { JobWatch } from "../jobs/JobWatch";
import { healthQuery } from "../service/health";
import { Needs } from "../session/Needs";
import { useMay } from "../session/queries";
import { ChangeView } from "./ChangeView";
import { Gate } from "./Gate";
import { stateWord } from "./plan";
import { ASYNC, backupQuery, backupsPages, jobOf } from "./queries";
import { Disabled } from "./RemediationPage";
import { ResultTable } from "./ResultTable";

const route = getRouteApi("/a/$a/backups");

const CSV: CsvColumn<Backup>[] = [
  ["made", ({ createdAt }) => createdAt],
  ["state", ({ state }) => state],
  ["changes", ({ entries }) => String(entries)],
  ["applied", ({ applied }) => String(applied)],
  ["verified", ({ verified }) => String(verified)],
  ["id", ({ id }) => id],
];

/** What was changed by this service, and how to take it back. */
export function BackupsPage() {
  const { a } = route.useParams();
  const { backup, job } = route.useSearch();
  const accounts = useQuery(accountsQuery);
  const health = useQuery(healthQuery);
  const list = useKeptError(useInfiniteQuery(backupsPages(a)));
  const client = useQueryClient();
  const able = useMay()("remediator", a);
  const rows = list.data?.pages.flatMap((page) => page.backups) ?? [];
  const name = visible(accountOf(accounts.data, a)?.name ?? a);
  return (
    <>
      <title>{`Backups · ${name} · Edgeposture`}</title>
      <PageHead
        title="Backups"
        actions={
          rows.length > 0 && (
            <CsvButton
              name="backups"
              columns={CSV}
              rows={() =>
                everyRow(async (part) => {
                  const query = { account: a, ...part };
                  const page = await bodyOf(api.GET("/api/remediate/backups", { params: { query } }));
                  return { items: page.backups, nextCursor: page.nextCursor };
                })
              }
            />
          )
        }
      >
        of the changes this service made to {name}
      </PageHead>
      {health.data?.remediation === "disabled" && <Disabled />}
      <Needs atLeast="remediator" where={a} what="Taking changes back" />
      <QueryStatus query={list} of="backups" rows={5} />
      {job !== undefined && (
        <JobWatch
          id={job}
          what="Taking the changes back"
          onSucceeded={() => {
            void client.invalidateQueries({ queryKey: ["backups"] });
            void client.invalidateQueries({ queryKey: ["backup"] });
          }}
        />
      )}
      {list.isSuccess && rows.length === 0 && (
        <Empty
          title="No backup yet"
          action={
            <Link to="/a/$a/r/$r/remediation" params={{ a, r: "latest" }}>
              Plan changes
            </Link>
          }
        >
          This service has changed nothing in this account.
        </Empty>
      )}
      {rows.length > 0 && (
        <PlainTable caption="Backups, newest first" columns={["Made", "State", "Changes", "Applied", "Verified", "Id"]}>
          {rows.map((row) => (
            <tr key={row.id} aria-current={row.id === backup ? "true" : undefined}>
              <td data-label="Made">
                <Link to="/a/$a/backups" params={{ a }} search={{ backup: row.id }}>
                  <When at={row.createdAt} />
                </Link>
              </td>
              <td data-label="State">{row.state === "applied" ? "in force" : stateWord(row.state)}</td>
              <td data-label="Changes">{integer(row.entries)}</td>
              <td data-label="Applied">{integer(row.applied)}</td>
              <td data-label="Verified">{integer(row.verified)}</td>
              <td data-label="Id" className={table.text}>
                <code>{row.id}</code>
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
      <NextPage pages={list}>Show older</NextPage>
      {backup !== undefined && !list.isPending && (
        <One key={backup} id={backup} account={a} enabled={able && health.data?.remediation === "enabled"} />
      )}
    </>
  );
}

function One({ id, account, enabled }: { id: string; account: string; enabled: boolean }) {
  const backup = useQuery(backupQuery(id));
  if (refusedWith(backup.error, 404, 422)) {
    return (
      <Empty
        title="This backup is not here"
        action={
          <Link to="/a/$a/backups" params={{ a: account }}>
            All backups
          </Link>
        }
      >
        There is no backup <code>{id}</code> on this service.
      </Empty>
    );
  }
  return (
    <>
      <QueryStatus query={backup} of="backup" rows={5} />
      {backup.data && <Detail backup={backup.data} account={account} enabled={enabled} />}
    </>
  );
}

function Detail({ backup, account, enabled }: { backup: BackupDetail; account: string; enabled: boolean }) {
  const navigate = route.useNavigate();
  const [force, setForce] = useState(false);
  const name = backup.account.name || backup.account.id;
  const back = backup.state === "applied" || backup.state === "partial";
  return (
    <Panel title={`Backup ${backup.id}`}>
      <dl className={form.facts}>
        <dt>Made</dt>
        <dd>
          <When at={backup.createdAt} />{" "}
          {backup.by === "secret"
            ? "with the shared edit token; the audit log says by whom"
            : `by ${visible(backup.by)}`}
        </dd>
        <dt>Account</dt>
        <dd>{visible(name)}</dd>
        <dt>From</dt>
        <dd>
          <Link to="/a/$a/r/$r/findings" params={{ a: account, r: backup.assessmentId }}>
            the assessment
          </Link>
          , plan <code>{backup.planId}</code>,{" "}
          <Link to="/jobs/$id" params={{ id: backup.jobId }}>
            the job
          </Link>
        </dd>
      </dl>
      <ResultTable results={backup.results} />
      <details className={form.details}>
        <summary>Values before and after ({backup.changes.length})</summary>
        <ShowMore of={backup.changes} word={["change", "changes"]} step={50}>
          {(shown) => (
            <ol className={table.frame}>
              {shown.map((change) => (
                <ChangeView key={change.id} change={change} />
              ))}
            </ol>
          )}
        </ShowMore>
      </details>
      {!back && <p>{backup.state === "open" ? "A job is at work on it." : "Nothing of it is in force any more."}</p>}
      {back && (
        <>
          <h3>Roll back</h3>
          <p>
            Takes the changes back, the last first, and verifies each. When somebody changed a value since, nothing is
            taken back.
          </p>
          <Gate
            account={name}
            action={`Roll back ${visible(name)}`}
            what="Nothing was taken back."
            disabled={!enabled}
            onSubmit={async (permission) => {
              const body = { ...permission, bundleId: backup.id, ...(force && { force }) };
              const job = await jobOf(bodyOf(api.POST("/api/remediate/rollback", { params: { header: ASYNC }, body })));
              await navigate({ search: { backup: backup.id, job: job.id } });
            }}
          >
            <label className={form.check}>
              <input type="checkbox" checked={force} onChange={({ target }) => setForce(target.checked)} />
              Also restore values that somebody changed since
            </label>
          </Gate>
        </>
      )}
    </Panel>
  );
}

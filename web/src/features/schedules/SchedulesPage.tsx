import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { Account, Schedule } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { plural } from "../../lib/number";
import { duration } from "../../lib/time";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { afterRunOf } from "../account/AccountForm";
import { AfterRunFields } from "../account/AfterRunFields";
import { accountOf, accountsQuery } from "../account/queries";
import { schedulesQuery } from "../fleet/queries";
import { ASYNC, jobOf } from "../remediation/queries";
import { inZone } from "./search";

const route = getRouteApi("/schedules");

/** Runs that repeat by themselves. */
export function SchedulesPage() {
  const { edit } = route.useSearch();
  const schedules = useQuery(schedulesQuery);
  const accounts = useQuery(accountsQuery);
  const edited = schedules.data?.find(({ id }) => id === edit);
  return (
    <>
      <title>Schedules · Edgeposture</title>
      <PageHead
        title="Schedules"
        actions={
          <Link to="/schedules" search={{ edit: "new" }}>
            Add a schedule
          </Link>
        }
      >
        {schedules.data && plural(schedules.data.length, "schedule")}
      </PageHead>
      {schedules.isPending && <Skeleton label="Loading the schedules" rows={5} />}
      {schedules.isError && (
        <ErrorPanel
          error={schedules.error}
          what="The schedules could not be loaded."
          onRetry={() => schedules.refetch()}
        />
      )}
      {edit === "new" && <Editor key="new" accounts={accounts.data ?? []} />}
      {edited && <Editor key={edited.id} schedule={edited} accounts={accounts.data ?? []} />}
      {edit !== undefined && edit !== "new" && schedules.isSuccess && !edited && (
        <Empty title="This schedule is not here" action={<Link to="/schedules">All schedules</Link>}>
          There is no schedule <code>{edit}</code> on this service.
        </Empty>
      )}
      {schedules.isSuccess && schedules.data.length === 0 && edit !== "new" && (
        <Empty
          title="No schedule yet"
          action={
            <Link to="/schedules" search={{ edit: "new" }}>
              Add the first one
            </Link>
          }
        >
          Runs start by hand only. A schedule repeats them at the times you choose.
        </Empty>
      )}
      {schedules.data?.map((schedule) => (
        <One
          key={schedule.id}
          schedule={schedule}
          name={visible(accountOf(accounts.data, schedule.account)?.name ?? schedule.account)}
        />
      ))}
    </>
  );
}

function One({ schedule, name }: { schedule: Schedule; name: string }) {
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const { pending, error, send } = useSend();
  const [deleting, setDeleting] = useState(false);
  const path = { id: schedule.id };
  const act = (work: () => Promise<unknown>) =>
    send(async () => {
      await work();
      await client.invalidateQueries({ queryKey: ["schedules"] });
    });
  return (
    <Panel
      title={`${name}: ${schedule.cron}`}
      aside={
        <span className={form.hint}>
          {schedule.timeZone}
          {schedule.paused && <span className={table.tag}>paused</span>}
        </span>
      }
    >
      <dl className={form.facts}>
        <dt>Next five times</dt>
        <dd>
          {schedule.paused
            ? "none while it is paused"
            : schedule.nextRuns.map((at) => inZone(at, schedule.timeZone)).join(" · ") || "none"}
        </dd>
        <dt>Last</dt>
        <dd>
          {schedule.lastRun ? (
            <>
              {schedule.lastRun.outcome} <When at={schedule.lastRun.at} />{" "}
              {schedule.lastRun.jobId && (
                <Link to="/jobs/$id" params={{ id: schedule.lastRun.jobId }}>
                  Job
                </Link>
              )}
            </>
          ) : (
            "never due yet"
          )}
        </dd>
        <dt>Rules</dt>
        <dd>
          {schedule.overlap === "skip" ? "left out while a run is unfinished" : "waits for an unfinished run"};{" "}
          {schedule.missed === "skip" ? "missed times are left out" : "missed times are made up for once"}
          {schedule.jitterSeconds > 0 && `; up to ${duration(schedule.jitterSeconds * 1000)} later`}
          {schedule.request.incremental && "; reads only what has changed"}
          {schedule.afterRun ? "; what follows is its own" : "; what follows is the account's"}
        </dd>
      </dl>
      {Boolean(error) && <ErrorPanel error={error} what="It was not done." />}
      <div className={form.actions}>
        <Button
          disabled={pending}
          onClick={() =>
            act(async () => {
              const call = api.POST("/api/schedules/{id}/run", { params: { path, header: ASYNC } });
              const job = await jobOf(bodyOf(call));
              await navigate({ to: "/jobs/$id", params: { id: job.id } });
            })
          }
        >
          Run now
        </Button>
        <Button
          disabled={pending}
          onClick={() =>
            act(() =>
              bodyOf(api.PATCH("/api/schedules/{id}", { params: { path }, body: { paused: !schedule.paused } })),
            )
          }
        >
          {schedule.paused ? "Resume" : "Pause"}
        </Button>
        <Link to="/schedules" search={{ edit: schedule.id }}>
          Edit
        </Link>
        <Button look="quiet" onClick={() => setDeleting(true)}>
          Delete…
        </Button>
      </div>
      {deleting && (
        <Confirm
          title="Delete the schedule?"
          action="Delete the schedule"
          pending={pending}
          error={error}
          onClose={() => setDeleting(false)}
          onConfirm={() => act(() => bodyOf(api.DELETE("/api/schedules/{id}", { params: { path } })))}
        >
          {name} is not run at <code>{schedule.cron}</code> any more. Jobs and assessments stay.
        </Confirm>
      )}
    </Panel>
  );
}

const FIELDS = ["account", "cron", "timeZone", "jitterSeconds", "overlap", "missed"];
const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

function Editor({ schedule, accounts }: { schedule?: Schedule; accounts: readonly Account[] }) {
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const { pending, error, send } = useSend();
  const [own, setOwn] = useState(schedule?.afterRun !== undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const overlap: "skip" | "queue" = text("overlap") === "queue" ? "queue" : "skip";
    const missed: "skip" | "once" = text("missed") === "once" ? "once" : "skip";
    send(async () => {
      const { profile, ...kept } = schedule?.request ?? {};
      const body = {
        cron: text("cron"),
        timeZone: text("timeZone"),
        jitterSeconds: Number(text("jitterSeconds") || 0),
        overlap,
        missed,
        request: {
          ...(kept.zones && { zones: kept.zones }),
          ...(kept.excludeZones && { excludeZones: kept.excludeZones }),
          ...(kept.categories && { categories: kept.categories }),
          ...(kept.checks && { checks: kept.checks }),
          ...(kept.note && { note: kept.note }),
          ...(profile === "core" && { profile: "core" as const }),
          incremental: values.has("incremental"),
        },
        ...(own && { afterRun: afterRunOf(values) }),
      };
      if (schedule) {
        await bodyOf(api.PATCH("/api/schedules/{id}", { params: { path: { id: schedule.id } }, body }));
      } else {
        const account = text("account");
        await bodyOf(api.POST("/api/schedules", { body: { ...body, ...(account && { account }) } }));
      }
      await client.invalidateQueries({ queryKey: ["schedules"] });
      await navigate({ search: {} });
    });
  };
  const rest = problemElsewhere(error, FIELDS);
  return (
    <Panel title={schedule ? "Edit the schedule" : "New schedule"}>
      <form className={form.form} onSubmit={submit}>
        <div className={form.grid}>
          {!schedule && (
            <Field label="Account" name="account" error={problemAt(error, "account")}>
              {(control) => (
                <select {...control}>
                  {accounts.map((account) => (
                    <option key={account.id} value={account.id}>
                      {visible(account.name)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <Field
            label="Times (cron)"
            name="cron"
            hint="Minute, hour, day of month, month, day of week. For example 0 6 * * mon-fri, or @daily."
            error={problemAt(error, "cron")}
          >
            {(control) => (
              <input
                {...control}
                required
                maxLength={500}
                autoComplete="off"
                spellCheck={false}
                defaultValue={schedule?.cron ?? "@daily"}
              />
            )}
          </Field>
          <Field label="Time zone" name="timeZone" error={problemAt(error, "timeZone")}>
            {(control) => (
              <select {...control} defaultValue={schedule?.timeZone ?? "UTC"}>
                {[...new Set([...(schedule ? [schedule.timeZone] : []), ...ZONES])].map((zone) => (
                  <option key={zone} value={zone}>
                    {zone}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field
            label="Jitter in seconds"
            name="jitterSeconds"
            hint="Each run starts up to this later, so that many do not start at once."
            error={problemAt(error, "jitterSeconds")}
          >
            {(control) => (
              <input {...control} type="number" min={0} max={3600} defaultValue={schedule?.jitterSeconds ?? 0} />
            )}
          </Field>
          <Field label="While a run is unfinished" name="overlap" error={problemAt(error, "overlap")}>
            {(control) => (
              <select {...control} defaultValue={schedule?.overlap ?? "skip"}>
                <option value="skip">Leave the due run out</option>
                <option value="queue">Start it afterwards</option>
              </select>
            )}
          </Field>
          <Field label="Times missed by more than five minutes" name="missed" error={problemAt(error, "missed")}>
            {(control) => (
              <select {...control} defaultValue={schedule?.missed ?? "skip"}>
                <option value="skip">Leave them out</option>
                <option value="once">Start one run for all of them</option>
              </select>
            )}
          </Field>
        </div>
        <label className={form.check}>
          <input type="checkbox" name="incremental" defaultChecked={schedule?.request.incremental ?? false} />
          Incremental: read only what has changed since the run before
        </label>
        <label className={form.check}>
          <input type="checkbox" checked={own} onChange={({ target }) => setOwn(target.checked)} />
          Send something else after each run than the account says
        </label>
        {own && <AfterRunFields value={schedule?.afterRun} />}
        {rest && <ErrorPanel error={rest} what="The schedule was not saved." />}
        <div className={form.actions}>
          <Button type="submit" look="primary" disabled={pending}>
            Save the schedule
          </Button>
          <Link to="/schedules">Cancel</Link>
        </div>
      </form>
    </Panel>
  );
}

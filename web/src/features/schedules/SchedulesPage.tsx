import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { api, bodyOf, deletion } from "../../api/client";
import type { Schedule } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { plural } from "../../lib/number";
import { duration } from "../../lib/time";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { ButtonLink } from "../../ui/ButtonLink";
import { Confirm } from "../../ui/Confirm";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { QueryError } from "../../ui/QueryStatus";
import { ShowMore } from "../../ui/ShowMore";
import { Skeleton } from "../../ui/Skeleton";
import { Tag } from "../../ui/Tag";
import { Time } from "../../ui/Time";
import { useOpened } from "../../ui/useOpened";
import { When } from "../../ui/When";
import { accountOf, accountsQuery } from "../account/queries";
import { schedulesQuery } from "../fleet/queries";
import { ASYNC, jobOf } from "../remediation/queries";
import { scopeWords } from "../runs/form";
import { Needs } from "../session/Needs";
import { useMay } from "../session/queries";
import { ScheduleEditor } from "./ScheduleEditor";
import { inZone } from "./search";

const route = getRouteApi("/schedules");

const CSV: CsvColumn<Schedule>[] = [
  ["id", ({ id }) => id],
  ["account", ({ account }) => account],
  ["cron", ({ cron }) => cron],
  ["time_zone", ({ timeZone }) => timeZone],
  ["paused", ({ paused }) => String(paused)],
  ["next_run", ({ nextRuns }) => nextRuns[0] ?? ""],
  ["last_run", ({ lastRun }) => lastRun?.at ?? ""],
  ["last_outcome", ({ lastRun }) => lastRun?.outcome ?? ""],
];

/** Runs that repeat by themselves. */
export function SchedulesPage() {
  const { edit, account } = route.useSearch();
  const may = useMay();
  const schedules = useKeptError(useQuery(schedulesQuery));
  const accounts = useKeptError(useQuery(accountsQuery));
  const own = accounts.data?.filter(({ id }) => may("operator", id)) ?? [];
  const edited = useOpened(edit, schedules.data);
  // Not before the accounts are known: a schedule for one must not become one for the default account.
  const waits = schedules.isPending || (edit !== undefined && accounts.isPending);
  return (
    <>
      <title>Schedules · Edgeposture</title>
      <PageHead
        title="Schedules"
        actions={
          <>
            {schedules.data && <CsvButton name="schedules" columns={CSV} rows={() => schedules.data} />}
            {may("operator", "some") && (
              <ButtonLink to="/schedules" search={{ edit: "new" }}>
                Add a schedule
              </ButtonLink>
            )}
          </>
        }
      >
        {schedules.data && plural(schedules.data.length, "schedule")}
      </PageHead>
      {waits && <Skeleton label="Loading the schedules" rows={5} />}
      <QueryError query={schedules} what="The schedules could not be loaded." />
      <QueryError query={accounts} what="The accounts could not be loaded." />
      {edit !== undefined && <Needs atLeast="operator" where="some" what="Changing schedules" />}
      {edit === "new" && !waits && own.length > 0 && <ScheduleEditor key="new" accounts={own} of={account} />}
      {edited && may("operator", edited.account) && <ScheduleEditor key={edited.id} schedule={edited} accounts={own} />}
      {edit !== undefined && edit !== "new" && schedules.data && !schedules.data.some(({ id }) => id === edit) && (
        <Empty title="This schedule is not here" action={<Link to="/schedules">All schedules</Link>}>
          There is no schedule <code>{edit}</code> on this service.
        </Empty>
      )}
      {schedules.isSuccess && schedules.data.length === 0 && edit !== "new" && (
        <Empty
          title="No schedule yet"
          action={
            may("operator", "some") && (
              <Link to="/schedules" search={{ edit: "new" }}>
                Add the first one
              </Link>
            )
          }
        >
          Runs start by hand only. A schedule repeats them at the times you choose.
        </Empty>
      )}
      {!waits && schedules.data && (
        <ShowMore of={schedules.data} word={["schedule", "schedules"]} step={50}>
          {(shown) =>
            shown.map((schedule) => (
              <One
                key={schedule.id}
                schedule={schedule}
                name={visible(accountOf(accounts.data, schedule.account)?.name ?? schedule.account)}
              />
            ))
          }
        </ShowMore>
      )}
    </>
  );
}

function One({ schedule, name }: { schedule: Schedule; name: string }) {
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const may = useMay();
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
          {schedule.paused && <Tag>paused</Tag>}
        </span>
      }
    >
      <dl className={form.facts}>
        <dt>Next five times</dt>
        <dd>
          {schedule.paused
            ? "none while it is paused"
            : schedule.nextRuns.map((at, i) => (
                <Fragment key={at}>
                  {i > 0 && " · "}
                  <Time at={at}>{inZone(at, schedule.timeZone)}</Time>
                </Fragment>
              ))}
          {!schedule.paused && schedule.nextRuns.length === 0 && "none"}
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
          {scopeWords(schedule.request) && `; looks at ${scopeWords(schedule.request)}`}
          {schedule.request.incremental && "; reads only what has changed"}
          {schedule.afterRun ? "; what follows is its own" : "; what follows is the account's"}
        </dd>
      </dl>
      {Boolean(error) && <ErrorPanel error={error} what="It was not done." />}
      {may("operator", schedule.account) && (
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
      )}
      {deleting && (
        <Confirm
          title="Delete the schedule?"
          action="Delete the schedule"
          pending={pending}
          error={error}
          onClose={() => setDeleting(false)}
          onConfirm={() => act(() => deletion(api.DELETE("/api/schedules/{id}", { params: { path } })))}
        >
          {name} is not run at <code>{schedule.cron}</code> any more. Jobs and assessments stay.
        </Confirm>
      )}
    </Panel>
  );
}

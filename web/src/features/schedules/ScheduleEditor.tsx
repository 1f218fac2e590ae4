import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { Account, Schedule, ScheduleRequest } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { useTyped } from "../../ui/AskBeforeLeaving";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { TimeZoneField } from "../../ui/TimeZoneField";
import { useFormFocus } from "../../ui/useFormFocus";
import { afterRunOf } from "../account/AccountForm";
import { AfterRunFields } from "../account/AfterRunFields";
import { formOf, requestOf } from "../runs/form";
import { RunOptions } from "../runs/RunOptions";

const route = getRouteApi("/schedules");

const FIELDS = ["account", "cron", "timeZone", "jitterSeconds", "overlap", "missed"];

interface Props {
  schedule?: Schedule;
  accounts: readonly Account[];
  /** The account that is offered for a new one; else the default one. */
  of?: string | undefined;
}

/** Makes a schedule, or changes one. */
export function ScheduleEditor({ schedule: now, accounts, of }: Props) {
  // What others change while somebody types is a conflict.
  const [schedule] = useState(now);
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const { pending, error, send } = useSend();
  const box = useFormFocus();
  const typed = useTyped();
  const [scope, setScope] = useState(() => formOf(schedule?.request ?? {}));
  const [own, setOwn] = useState(schedule?.afterRun !== undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const overlap: "skip" | "queue" = text("overlap") === "queue" ? "queue" : "skip";
    const missed: "skip" | "once" = text("missed") === "once" ? "once" : "skip";
    send(async () => {
      // What this form does not show stays as the service gave it.
      const { checks, excludeZones } = schedule?.request ?? {};
      const sensitivity = schedule?.request.sensitivity as ScheduleRequest["sensitivity"];
      const body = {
        cron: text("cron"),
        timeZone: text("timeZone"),
        jitterSeconds: Number(text("jitterSeconds") || 0),
        overlap,
        missed,
        request: { checks, excludeZones, sensitivity, ...requestOf(scope), incremental: values.has("incremental") },
        // Without anything in it what follows is what the account says again.
        ...(own ? { afterRun: afterRunOf(values) } : schedule?.afterRun && { afterRun: {} }),
      };
      if (schedule) {
        const asRead = { ...body, updatedAt: schedule.updatedAt };
        await bodyOf(api.PATCH("/api/schedules/{id}", { params: { path: { id: schedule.id } }, body: asRead }));
      } else {
        const account = text("account");
        await bodyOf(api.POST("/api/schedules", { body: { ...body, ...(account && { account }) } }));
      }
      typed.saved();
      await client.invalidateQueries({ queryKey: ["schedules"] });
      await navigate({ search: {} });
    });
  };
  const rest = problemElsewhere(error, FIELDS);
  return (
    <Panel title={schedule ? "Edit the schedule" : "New schedule"}>
      <form ref={box} className={form.form} onSubmit={submit} onChange={typed.onChange}>
        <div className={form.grid}>
          {!schedule && (
            <Field label="Account" name="account" error={problemAt(error, "account")}>
              {(control) => (
                <select {...control} defaultValue={of ?? accounts.find((account) => account.default)?.id}>
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
          <TimeZoneField value={schedule?.timeZone ?? "UTC"} error={problemAt(error, "timeZone")} />
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
        <div className={form.actions}>
          <RunOptions form={scope} onChange={setScope} />
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
          <Link to="/schedules" activeOptions={{ exact: true }} ignoreBlocker>
            Cancel
          </Link>
        </div>
        {typed.asks}
      </form>
    </Panel>
  );
}

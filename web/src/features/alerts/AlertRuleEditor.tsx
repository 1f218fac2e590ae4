import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { AlertRule } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { SEVERITIES } from "../../lib/severity";
import { toggled } from "../../lib/toggled";
import { useSend } from "../../lib/useSend";
import { useTyped } from "../../ui/AskBeforeLeaving";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { TimeZoneField } from "../../ui/TimeZoneField";
import { useFormFocus } from "../../ui/useFormFocus";
import { Choices } from "../access/Choices";
import { CHANNELS } from "../account/AccountForm";
import { accountsQuery, addressOf } from "../account/queries";
import { alertRulesQuery } from "./queries";
import { EVENTS, leastWords, namesOf } from "./words";

const route = getRouteApi("/notifications");

const FIELDS = ["name", "events", "severity", "accounts", "owners", "channel", "url", "secret"];
const TIMES = ["daily", "quiet", "timeZone"];

const EVENT_LABELS = {
  opened: "New: a run found it",
  worse: "More severe than before",
  returned: "Accepted until now: an exception expired",
  overdue: "Overdue",
  resolved: "Resolved: a run found nothing of it any more",
};

type Address = "settings" | "own" | "kept";

/** Makes an alert rule, or changes one. */
export function AlertRuleEditor({ rule: now }: { rule: AlertRule | undefined }) {
  const client = useQueryClient();
  const accounts = useQuery(accountsQuery);
  // What others change while somebody types is a conflict.
  const [rule] = useState(now);
  const navigate = route.useNavigate();
  const { pending, error, send } = useSend();
  const box = useFormFocus();
  const typed = useTyped();
  const [events, setEvents] = useState<readonly string[]>(rule?.events ?? ["opened", "worse", "returned", "overdue"]);
  const [chosen, setChosen] = useState<readonly string[]>(rule?.accounts ?? []);
  const [channelId, setChannelId] = useState<AlertRule["channel"]>(rule?.channel ?? "chat_a");
  const [wanted, setWanted] = useState<Address>(rule?.ownAddress ? "kept" : "settings");
  const [daily, setDaily] = useState(Boolean(rule?.daily));
  const [quiet, setQuiet] = useState(rule?.quiet !== undefined);
  const channel = CHANNELS.find(({ id }) => id === channelId);
  const { url: urlKey = "url", secret: secretKey } = channel ?? {};
  // An address goes with its channel.
  const keeps = rule?.ownAddress === true && rule.channel === channelId;
  const address = wanted === "kept" && !keeps ? "settings" : wanted;
  // The service names the setting whose place an own address takes.
  const problem = (...names: (string | undefined)[]) =>
    names.map((name) => name && problemAt(error, name)).find((said) => said) || undefined;
  const submit = (submitted: FormEvent<HTMLFormElement>) => {
    submitted.preventDefault();
    const values = new FormData(submitted.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const body = {
      name: text("name"),
      events: EVENTS.filter((event) => events.includes(event)),
      severity: SEVERITIES.find((severity) => severity === text("severity")) ?? "high",
      accounts: [...chosen],
      owners: namesOf(text("owners")),
      channel: channelId,
      daily: daily ? text("daily") : "",
      quiet: { from: "", to: "", ...(quiet && quietOf(values)) },
      timeZone: text("timeZone"),
      ...(address === "settings" && { url: "" }),
      ...(address === "own" && { url: text("url"), ...(secretKey && { secret: text("secret") }) }),
    };
    send(async () => {
      if (rule) {
        const asRead = { ...body, updatedAt: rule.updatedAt };
        await bodyOf(api.PATCH("/api/alert-rules/{id}", { params: { path: { id: rule.id } }, body: asRead }));
      } else await bodyOf(api.POST("/api/alert-rules", { body }));
      typed.saved();
      await client.invalidateQueries(alertRulesQuery);
      await navigate({ search: {} });
    });
  };
  const rest = problemElsewhere(error, [...FIELDS, ...TIMES, urlKey, secretKey ?? ""]);
  return (
    <Panel title={rule ? "Edit the alert rule" : "New alert rule"}>
      <form ref={box} className={form.form} autoComplete="off" onSubmit={submit} onChange={typed.onChange}>
        <div className={form.grid}>
          <Field label="Name" name="name" error={problem("name")}>
            {(control) => <input {...control} required maxLength={100} defaultValue={rule?.name} />}
          </Field>
          <Field label="Severity" name="severity" error={problem("severity")}>
            {(control) => (
              <select {...control} defaultValue={rule?.severity ?? "high"}>
                {SEVERITIES.map((severity) => (
                  <option key={severity} value={severity}>
                    {leastWords(severity)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field
            label="Owners"
            name="owners"
            hint="Comma-separated; none for issues that nobody owns. Empty for all."
            error={problem("owners")}
          >
            {(control) => (
              <input
                {...control}
                spellCheck={false}
                defaultValue={rule?.owners.join(", ")}
                placeholder="Web team, none"
              />
            )}
          </Field>
        </div>
        <fieldset className={form.actions}>
          <legend className={form.label}>Send when</legend>
          {EVENTS.map((event) => (
            <label key={event} className={form.check}>
              <input
                type="checkbox"
                checked={events.includes(event)}
                // Of none at all the service would say nothing, and leave them as they are.
                required={events.length === 0}
                onChange={() => setEvents(toggled<string>(events, event))}
              />
              {EVENT_LABELS[event]}
            </label>
          ))}
        </fieldset>
        {problem("events") && <p className={form.error}>{problem("events")}</p>}
        <Choices
          legend="Accounts; all when none is chosen"
          what="the accounts"
          of={accounts}
          idOf={addressOf}
          chosen={chosen}
          onChoose={setChosen}
          none="No account is registered."
        />
        {problem("accounts") && <p className={form.error}>{problem("accounts")}</p>}
        <div className={form.grid}>
          <Field
            label="Channel"
            name="channel"
            error={problem("channel", ...(address === "settings" ? [urlKey, secretKey] : []))}
          >
            {(control) => (
              <select
                {...control}
                value={channelId}
                onChange={({ target }) => setChannelId(target.value as AlertRule["channel"])}
              >
                {CHANNELS.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Address" name="address">
            {(control) => (
              <select {...control} value={address} onChange={({ target }) => setWanted(target.value as Address)}>
                {keeps && <option value="kept">Keep the address it has</option>}
                <option value="settings">As on the card of the channel</option>
                <option value="own">{keeps ? "Another of its own" : "One of its own"}</option>
              </select>
            )}
          </Field>
          {address === "own" && (
            <Field
              label="Own address"
              name="url"
              hint="It is kept sealed and never shown again."
              error={problem("url", urlKey)}
            >
              {(control) => (
                <input {...control} type="url" required maxLength={2000} spellCheck={false} placeholder="https://" />
              )}
            </Field>
          )}
          {address === "own" && secretKey && (
            <Field
              label="Secret"
              name="secret"
              hint="Signs each message. It is kept sealed and never shown again."
              error={problem("secret", secretKey)}
            >
              {(control) => <input {...control} type="password" autoComplete="new-password" />}
            </Field>
          )}
        </div>
        <div className={form.grid}>
          <Field label="When" name="when">
            {(control) => (
              <select
                {...control}
                value={daily ? "daily" : "once"}
                onChange={({ target }) => setDaily(target.value === "daily")}
              >
                <option value="once">At once</option>
                <option value="daily">In one message a day</option>
              </select>
            )}
          </Field>
          {daily && (
            <Field label="Time of the day" name="daily" error={problem("daily")}>
              {(control) => <input {...control} type="time" required defaultValue={rule?.daily ?? "08:30"} />}
            </Field>
          )}
          <TimeZoneField
            value={rule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
            error={problem("timeZone")}
          />
        </div>
        <label className={form.check}>
          <input type="checkbox" checked={quiet} onChange={({ target }) => setQuiet(target.checked)} />
          Quiet hours: nothing is sent, and what still holds afterwards is told then
        </label>
        {quiet && (
          <div className={form.grid}>
            <Field label="Quiet from" name="from">
              {(control) => <input {...control} type="time" defaultValue={rule?.quiet?.from ?? "20:00"} />}
            </Field>
            <Field label="Quiet until" name="to" error={problem("quiet")}>
              {(control) => <input {...control} type="time" defaultValue={rule?.quiet?.to ?? "07:00"} />}
            </Field>
            <label className={form.check}>
              <input type="checkbox" name="weekends" defaultChecked={rule?.quiet?.weekends ?? false} />
              All of Saturday and Sunday too
            </label>
          </div>
        )}
        {rest && <ErrorPanel error={rest} what="The alert rule was not saved." />}
        <div className={form.actions}>
          <Button type="submit" look="primary" disabled={pending}>
            Save the alert rule
          </Button>
          <Link to="/notifications" activeOptions={{ exact: true }} ignoreBlocker>
            Cancel
          </Link>
        </div>
        {typed.asks}
      </form>
    </Panel>
  );
}

const quietOf = (values: FormData) => ({
  from: String(values.get("from")),
  to: String(values.get("to")),
  weekends: values.has("weekends"),
});

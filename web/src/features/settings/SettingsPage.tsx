import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { SettingInfo, Settings } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { plural } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { Skeleton } from "../../ui/Skeleton";
import { changesOf, type Edits, grouped, isSecret, settingLabel } from "./groups";
import { Sessions } from "./Sessions";

const settingsKey = ["settings"];

/** Where the service sends and with which credentials. Secrets are written here, never read. */
export function SettingsPage() {
  const settings = useQuery({
    queryKey: settingsKey,
    queryFn: ({ signal }) => bodyOf(api.GET("/api/settings", { signal })),
  });
  return (
    <>
      <title>Settings · Edgeposture</title>
      <PageHead title="Settings">A saved value comes before the variable of the environment.</PageHead>
      {settings.isPending && <Skeleton label="Loading the settings" rows={3} tall />}
      {settings.isError && (
        <ErrorPanel
          error={settings.error}
          what="The settings could not be loaded."
          onRetry={() => settings.refetch()}
        />
      )}
      {settings.data && <Form settings={settings.data} />}
      <Sessions />
    </>
  );
}

const CHOICES: Record<string, readonly string[]> = {
  notifyThreshold: ["critical", "high", "medium", "low", "informational"],
  aiProvider: ["none", "hosted_a", "hosted_b", "local"],
};

function Form({ settings }: { settings: Settings }) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const [edits, setEdits] = useState<Edits>({});
  const [cleared, setCleared] = useState<readonly string[]>([]);
  const [saved, setSaved] = useState(false);
  const changes = changesOf(edits, cleared);
  const count = Object.keys(changes).length;
  const blocker = useBlocker({
    shouldBlockFn: () => count > 0,
    enableBeforeUnload: () => count > 0,
    withResolver: true,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSaved(false);
    send(async () => {
      const next = await bodyOf(api.PUT("/api/settings", { body: changes as never }));
      client.setQueryData(settingsKey, next);
      setEdits({});
      setCleared([]);
      setSaved(true);
    });
  };
  const keys = Object.keys(settings.settings);
  const rest = problemElsewhere(error, keys);
  return (
    <form className={form.form} onSubmit={submit} autoComplete="off">
      {grouped(keys).map((group) => (
        <Panel key={group.title} title={group.title}>
          <div className={form.grid}>
            {group.keys.map((key) => (
              <One
                key={key}
                name={key}
                info={settings.settings[key]}
                text={edits[key] ?? ""}
                cleared={cleared.includes(key)}
                error={problemAt(error, key)}
                onText={(text) => {
                  setSaved(false);
                  setEdits({ ...edits, [key]: text });
                  setCleared(cleared.filter((other) => other !== key));
                }}
                onClear={() =>
                  setCleared(cleared.includes(key) ? cleared.filter((other) => other !== key) : [...cleared, key])
                }
              />
            ))}
          </div>
        </Panel>
      ))}
      <Panel title="Changes to accounts (remediation)">
        <p>
          {settings.remediation === "enabled" ? "Switched on." : "Switched off."} It cannot be switched here. On the
          server, {settings.remediation === "enabled" ? "unset" : "set"} <code>SERVICE_ALLOW_REMEDIATION=true</code> in
          the environment of the API and of every worker, then restart them. Each change also needs the edit scope of{" "}
          <code>SERVICE_EDIT_SCOPE</code>.
        </p>
      </Panel>
      {rest && <ErrorPanel error={rest} what="Nothing was saved." />}
      <div className={form.actions}>
        <Button type="submit" look="primary" disabled={count === 0 || pending}>
          {count === 0 ? "Save" : `Save ${plural(count, "change")}`}
        </Button>
        {count > 0 && (
          <Button
            onClick={() => {
              setEdits({});
              setCleared([]);
            }}
          >
            Discard
          </Button>
        )}
        <span role="status">{saved && "Saved."}</span>
      </div>
      {blocker.status === "blocked" && (
        <Confirm
          title="Leave without saving?"
          action="Leave"
          pending={false}
          error={undefined}
          onClose={blocker.reset}
          onConfirm={blocker.proceed}
        >
          {plural(count, "change")} would be lost.
        </Confirm>
      )}
    </form>
  );
}

interface OneProps {
  name: string;
  info: SettingInfo | undefined;
  text: string;
  cleared: boolean;
  error: string | undefined;
  onText: (text: string) => void;
  onClear: () => void;
}

const SOURCES = { settings: "saved here", env: "from the environment", none: "not set" };

function One({ name, info, text, cleared, error, onText, onClear }: OneProps) {
  const secret = isSecret(name);
  const choices = CHOICES[name];
  const shown = info?.value ?? info?.hint ?? "";
  const label = settingLabel(name);
  return (
    <Field
      label={label}
      name={name}
      error={error}
      hint={
        <>
          {info ? SOURCES[info.source] : "not set"}
          {shown !== "" && (
            <>
              : <code>{visible(shown)}</code>
            </>
          )}
          {cleared && ", will be cleared"}{" "}
          {info?.source === "settings" && (
            <Button look="quiet" onClick={onClear} aria-label={`${cleared ? "Keep" : "Clear"} ${label}`}>
              {cleared ? "Keep" : "Clear"}
            </Button>
          )}
        </>
      }
    >
      {(control) =>
        choices ? (
          <select {...control} value={text} onChange={({ target }) => onText(target.value)}>
            <option value="">No change</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choice.replaceAll("_", " ")}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...control}
            type={secret ? "password" : "text"}
            autoComplete="off"
            spellCheck={false}
            placeholder={info?.configured ? "Replace" : ""}
            value={text}
            onChange={({ target }) => onText(target.value)}
          />
        )
      }
    </Field>
  );
}

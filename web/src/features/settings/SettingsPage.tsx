import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Settings } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { problemElsewhere } from "../../lib/fieldProblem";
import { plural } from "../../lib/number";
import { AskBeforeLeaving } from "../../ui/AskBeforeLeaving";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { Needs } from "../session/Needs";
import { useMay } from "../session/queries";
import { grouped } from "./groups";
import { Passkeys } from "./Passkeys";
import { settingsQuery } from "./queries";
import { Sessions } from "./Sessions";
import { SettingField } from "./SettingField";
import { useSettings } from "./useSettings";

/** Where the service sends and with which credentials. Secrets are written here, never read. */
export function SettingsPage() {
  const settings = useKeptError(useQuery(settingsQuery));
  return (
    <>
      <title>Settings · Edgeposture</title>
      <PageHead title="Settings">A saved value comes before the variable of the environment.</PageHead>
      <QueryStatus query={settings} of="settings" rows={3} tall />
      {settings.data && <Form settings={settings.data} />}
      {!settings.isPending && (
        <>
          <Passkeys />
          <Sessions />
        </>
      )}
    </>
  );
}

function Form({ settings }: { settings: Settings }) {
  const [saved, setSaved] = useState(false);
  const may = useMay();
  const { pending, error, count, discard, save, field } = useSettings(settings, () => setSaved(true));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save();
  };
  const keys = Object.keys(settings.settings);
  const rest = problemElsewhere(error, keys);
  return (
    <form className={form.form} onSubmit={submit} autoComplete="off">
      <Needs atLeast="administrator" where="all" what="Changing the settings" />
      <fieldset className={form.form} disabled={!may("administrator", "all")}>
        {grouped(keys).map((group) => (
          <Panel key={group.title} title={group.title}>
            <div className={form.grid}>
              {group.keys.map((key) => (
                <SettingField key={key} {...field(key)} />
              ))}
            </div>
          </Panel>
        ))}
      </fieldset>
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
        {count > 0 && <Button onClick={discard}>Discard</Button>}
        <span role="status">{saved && count === 0 && !pending && "Saved."}</span>
      </div>
      <AskBeforeLeaving when={() => count > 0}>{plural(count, "change")} would be lost.</AskBeforeLeaving>
    </form>
  );
}

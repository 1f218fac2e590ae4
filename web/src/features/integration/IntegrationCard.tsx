import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { Settings } from "../../api/types";
import { problemElsewhere } from "../../lib/fieldProblem";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { AskBeforeLeaving } from "../../ui/AskBeforeLeaving";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { When } from "../../ui/When";
import { JobWatch } from "../jobs/JobWatch";
import { useMay } from "../session/queries";
import { SettingField } from "../settings/SettingField";
import { useSettings } from "../settings/useSettings";
import styles from "./Integrations.module.css";
import { connection, type Integration } from "./list";

const STATES = { settings: "Connected", env: "Connected by the environment", none: "Not connected" };

interface Props {
  integration: Integration;
  settings: Settings;
}

export function IntegrationCard({ integration, settings }: Props) {
  const [open, setOpen] = useState(false);
  const may = useMay();
  const source = connection(integration, settings);
  const connected = source !== "none";
  const { delivery } = integration;
  return (
    <Panel
      title={integration.name}
      aside={<span className={connected ? styles.on : "muted"}>{STATES[source]}</span>}
      className={styles.card}
    >
      <p>{integration.what}</p>
      {connected && delivery && <LastDelivery target={integration.id} />}
      {open ? (
        <Connect integration={integration} settings={settings} onDone={() => setOpen(false)} />
      ) : (
        <div className={form.actions}>
          {may("administrator", "all") && (
            <Button look={connected ? "plain" : "primary"} onClick={() => setOpen(true)}>
              {connected ? "Change" : "Connect"}
              <span className="visually-hidden"> {integration.name}</span>
            </Button>
          )}
          {connected && delivery && <Try name={integration.name} delivery={delivery} />}
        </div>
      )}
    </Panel>
  );
}

function LastDelivery({ target }: { target: string }) {
  const last = useQuery({
    queryKey: ["deliveries", "last", target],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/deliveries", { params: { query: { target, limit: 1 } }, signal }))).items[0] ?? null,
  });
  if (last.isPending) return <p className="muted">Looking for the last delivery…</p>;
  if (last.isError) return <p className="muted">The last delivery is not known.</p>;
  if (!last.data) return <p className="muted">Nothing was sent yet.</p>;
  const { state, updatedAt, reason } = last.data;
  return (
    <p className="muted">
      Last delivery {state} <When at={updatedAt} />
      {reason && `: ${visible(reason)}`}
    </p>
  );
}

/** Sends the latest result, to see whether it arrives. */
function Try({ name, delivery }: Pick<Integration, "name"> & Required<Pick<Integration, "delivery">>) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const [job, setJob] = useState<string>();
  const [told, setTold] = useState("");
  const go = () => {
    setTold("");
    setJob(undefined);
    send(async () => setJob((await delivery.send()).id));
  };
  return (
    <>
      <Button onClick={go} disabled={pending}>
        Send the latest result
        <span className="visually-hidden"> to {name}</span>
      </Button>
      {Boolean(error) && <ErrorPanel error={error} what="Nothing was sent." onRetry={go} />}
      {job !== undefined && (
        <JobWatch
          id={job}
          what={`Sending to ${name}`}
          onSucceeded={({ result }) => {
            setTold(delivery.told(result));
            void client.invalidateQueries({ queryKey: ["deliveries"] });
          }}
        />
      )}
      <span role="status">{visible(told)}</span>
    </>
  );
}

function Connect({ integration, settings, onDone }: Props & { onDone: () => void }) {
  const { pending, error, count, save, field } = useSettings(settings, onDone);
  const keys = integration.keys.filter((key) => key in settings.settings);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  const rest = problemElsewhere(error, keys);
  return (
    <form className={form.form} onSubmit={submit} autoComplete="off" aria-label={`Connect ${integration.name}`}>
      {keys.map((key) => (
        <SettingField key={key} {...field(key)} />
      ))}
      {rest && <ErrorPanel error={rest} what="Nothing was saved." />}
      <div className={form.actions}>
        <Button type="submit" look="primary" disabled={pending || count === 0}>
          Save
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
      <AskBeforeLeaving when={() => count > 0}>What was typed would be lost.</AskBeforeLeaving>
    </form>
  );
}

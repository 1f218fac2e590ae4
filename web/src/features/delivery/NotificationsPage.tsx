import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { NotifyResult } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Skeleton } from "../../ui/Skeleton";
import { CHANNELS, channelsOf } from "../account/AccountForm";
import { AlertRules } from "../alerts/AlertRules";
import { alertRulesQuery } from "../alerts/queries";
import { Deliveries } from "./Deliveries";
import { triedOf } from "./dryRun";
import { notify } from "./queries";
import { Send } from "./Send";

const route = getRouteApi("/notifications");

/** Issues and summaries of assessments for chats and webhooks. */
export function NotificationsPage() {
  const { state, edit } = route.useSearch();
  // The editor opens above the rest of the page, which waits for it.
  const waits = useKeptError(useQuery(alertRulesQuery)).isPending && edit !== undefined;
  return (
    <>
      <title>Notifications · Edgeposture</title>
      <PageHead title="Notifications">
        Set up addresses and secrets under <Link to="/integrations">Integrations</Link>.
      </PageHead>
      {waits ? (
        <Skeleton label="Loading the alert rules" rows={8} />
      ) : (
        <>
          <AlertRules edit={edit} />
          <Send
            title="Send the latest assessment"
            fields={["threshold", "channels", "link"]}
            told={(value) => {
              const result = value as NotifyResult | null;
              if (result?.payloads) return triedOf(result);
              return `${result?.sent.length ?? 0} sent, ${result?.skipped.length ?? 0} left out, ${result?.failed.length ?? 0} failed.`;
            }}
            submit={async (values, dryRun) => {
              const channels = channelsOf(values, "channels");
              const threshold = String(values.get("threshold") ?? "");
              const body = {
                dryRun,
                ...(channels.length > 0 && { channels }),
                ...(threshold !== "" && { threshold }),
                link: window.location.origin,
              };
              return notify(body);
            }}
          >
            {(problem) => (
              <>
                <div className={form.grid}>
                  <Field
                    label="From severity"
                    name="threshold"
                    hint="Nothing is sent if no open finding reaches this severity."
                    error={problem("threshold")}
                  >
                    {(control) => (
                      <select {...control} defaultValue="">
                        <option value="">As saved</option>
                        {SEVERITIES.map((severity) => (
                          <option key={severity} value={severity}>
                            {severityWord(severity)}
                          </option>
                        ))}
                      </select>
                    )}
                  </Field>
                </div>
                <fieldset className={form.actions}>
                  <legend className={form.hint}>Channels (none selected: every configured one)</legend>
                  {CHANNELS.map(({ id, name }) => (
                    <label key={id} className={form.check}>
                      <input type="checkbox" name="channels" value={id} /> {name}
                    </label>
                  ))}
                </fieldset>
                {problem("channels") && <p className={form.error}>{problem("channels")}</p>}
              </>
            )}
          </Send>
          <Deliveries page="/notifications" targets={CHANNELS.map(({ id }) => id).join(",")} state={state} />
        </>
      )}
    </>
  );
}

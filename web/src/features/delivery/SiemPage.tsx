import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ShipResult } from "../../api/types";
import { plural } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { save } from "../../ui/save";
import { SHIP } from "../account/AccountForm";
import { fetchFile } from "../exports/download";
import { Deliveries } from "./Deliveries";
import { ship } from "./queries";
import { Send } from "./Send";

const route = getRouteApi("/siem");

const WORDS = {
  search: "Elasticsearch or OpenSearch",
  collector: "Splunk",
  all: "Both",
  file: "Files on this service",
  securityhub: "AWS Security Hub",
};

/** Assessments for Elasticsearch or OpenSearch and for Splunk. */
export function SiemPage() {
  const { state } = route.useSearch();
  return (
    <>
      <title>SIEM · Edgeposture</title>
      <PageHead title="SIEM">
        Set up addresses and credentials under <Link to="/integrations">Integrations</Link>.
      </PageHead>
      <Send
        title="Ship the latest assessment"
        fields={["target", "searchIndex", "hecIndex"]}
        told={(result) => `${plural((result as ShipResult | null)?.documents ?? 0, "document")}.`}
        submit={async (values, dryRun) => {
          const text = (name: string) => String(values.get(name) ?? "").trim();
          const body = {
            target: SHIP.find((target) => target === text("target")) ?? "search",
            dryRun,
            ...(text("searchIndex") && { searchIndex: text("searchIndex") }),
            ...(text("hecIndex") && { hecIndex: text("hecIndex") }),
            ...(values.has("onlyChanges") && { onlyChanges: true }),
            ...(values.has("includeTemplate") && { includeTemplate: true }),
            ...(values.has("kibana") && { kibana: true }),
          };
          return ship(body);
        }}
      >
        {(problem) => (
          <>
            <div className={form.grid}>
              <Field label="Target" name="target" error={problem("target")}>
                {(control) => (
                  <select {...control} defaultValue="search">
                    {SHIP.map((target) => (
                      <option key={target} value={target}>
                        {WORDS[target]}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              <Field
                label="Index or data stream of Elasticsearch (optional)"
                name="searchIndex"
                error={problem("searchIndex")}
              >
                {(control) => (
                  <input {...control} maxLength={255} autoComplete="off" placeholder="edgeposture-assessments" />
                )}
              </Field>
              <Field label="Splunk index (optional)" name="hecIndex" error={problem("hecIndex")}>
                {(control) => (
                  <input {...control} maxLength={80} autoComplete="off" placeholder="default of the token" />
                )}
              </Field>
            </div>
            <div className={form.actions}>
              <label className={form.check}>
                <input type="checkbox" name="onlyChanges" /> Only what has changed
              </label>
              <label className={form.check}>
                <input type="checkbox" name="includeTemplate" /> Store the index template first
              </label>
              <label className={form.check}>
                <input type="checkbox" name="kibana" /> For Kibana's Findings page
              </label>
            </div>
          </>
        )}
      </Send>
      <Template />
      <Deliveries page="/siem" targets="search,collector,file,securityhub" state={state} />
    </>
  );
}

function Template() {
  const { pending, error, send } = useSend();
  const [done, setDone] = useState(false);
  const fetchTemplate = () =>
    send(async () => {
      const stop = new AbortController();
      save(await fetchFile("/api/integrations/template/elastic", stop.signal, () => {}), "edgeposture-template.json");
      setDone(true);
    });
  return (
    <Panel title="Index template">
      <p>The mapping of the index. Store it before the first delivery.</p>
      {Boolean(error) && <ErrorPanel error={error} what="The template was not fetched." onRetry={fetchTemplate} />}
      <div className={form.actions}>
        <Button onClick={fetchTemplate} disabled={pending}>
          Fetch the template
        </Button>
        <span role="status">{done && "Saved as edgeposture-template.json."}</span>
      </div>
    </Panel>
  );
}

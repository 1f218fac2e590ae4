import { useQuery } from "@tanstack/react-query";
import { duration } from "../../lib/time";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { healthQuery } from "./health";

/** Which service this is and how it fares. */
export function AboutPage() {
  const health = useQuery(healthQuery);
  return (
    <>
      <title>About · Edgeposture</title>
      <PageHead title="About">Edgeposture assesses the security posture of Cloudflare accounts.</PageHead>
      {health.isPending && (
        <Panel title="This service">
          <Skeleton label="Loading the health" rows={7} />
        </Panel>
      )}
      <QueryError query={health} what="The health could not be loaded." />
      {health.data && (
        <Panel title="This service">
          <dl className={form.facts}>
            <dt>Version</dt>
            <dd>{health.data.version}</dd>
            <dt>State</dt>
            <dd>{health.data.status}</dd>
            <dt>Store</dt>
            <dd>
              {health.data.store.name}: {health.data.store.status}
            </dd>
            <dt>Queue</dt>
            <dd>
              {health.data.queue.name}: {health.data.queue.status}
            </dd>
            <dt>Workers</dt>
            <dd>{health.data.workers}</dd>
            <dt>Up for</dt>
            <dd>{duration(health.data.uptimeSeconds * 1000)}</dd>
            <dt>API key</dt>
            <dd>{health.data.authRequired ? "required" : "not required"}</dd>
            <dt>Changes to accounts</dt>
            <dd>{health.data.remediation}</dd>
            <dt>Last assessment</dt>
            <dd>{health.data.lastAssessmentAt ? <When at={health.data.lastAssessmentAt} /> : "none yet"}</dd>
          </dl>
        </Panel>
      )}
      <Panel title="Privacy">
        <p>The dashboard is served by this service alone. It loads nothing from elsewhere and sends no telemetry.</p>
      </Panel>
      <Panel title="Licences">
        <p>
          All that is in here, with its licence: <a href="/licences.txt">the service</a>,{" "}
          <a href="/licences-dashboard.txt">the dashboard</a>.
        </p>
      </Panel>
    </>
  );
}

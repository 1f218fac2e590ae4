import { useQuery } from "@tanstack/react-query";
import { PageHead } from "../../ui/PageHead";
import { QueryStatus } from "../../ui/QueryStatus";
import { settingsQuery } from "../settings/queries";
import { IntegrationCard } from "./IntegrationCard";
import styles from "./Integrations.module.css";
import { INTEGRATIONS } from "./list";

/** Where results go, each on a card: connected or not, what was sent last, and a try. */
export function IntegrationsPage() {
  const settings = useQuery(settingsQuery);
  return (
    <>
      <title>Integrations · Edgeposture</title>
      <PageHead title="Integrations">Where results, alerts and tickets are sent.</PageHead>
      <QueryStatus query={settings} of="integrations" rows={3} tall />
      {settings.data && (
        <div className={styles.cards}>
          {INTEGRATIONS.map((integration) => (
            <IntegrationCard key={integration.id} integration={integration} settings={settings.data} />
          ))}
        </div>
      )}
    </>
  );
}

import { useQuery } from "@tanstack/react-query";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { PageHead } from "../../ui/PageHead";
import { Skeleton } from "../../ui/Skeleton";
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
      {settings.isPending && <Skeleton label="Loading the integrations" rows={3} tall />}
      {settings.isError && (
        <ErrorPanel
          error={settings.error}
          what="The integrations could not be loaded."
          onRetry={() => settings.refetch()}
        />
      )}
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

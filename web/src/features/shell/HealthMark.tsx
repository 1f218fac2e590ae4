import { useQuery } from "@tanstack/react-query";
import { asProblem } from "../../api/errors";
import { useKeptError } from "../../api/useKeptError";
import { healthQuery } from "../service/health";
import { healthTrouble } from "./healthTrouble";
import styles from "./Shell.module.css";

export function HealthMark() {
  const health = useKeptError(
    useQuery({ ...healthQuery, refetchInterval: ({ state }) => (state.status === "error" ? 5_000 : 30_000) }),
  );
  if (health.isError) {
    const { title } = asProblem(health.error);
    return <span className={styles.trouble}>{title}</span>;
  }
  if (!health.data) return <span className={styles.health} />;
  const trouble = healthTrouble(health.data);
  return (
    <span className={trouble ? styles.trouble : styles.health}>
      {trouble ? `Degraded: ${trouble}` : "Healthy"}
      <span className={styles.version}> · {health.data.version}</span>
    </span>
  );
}

import { useQuery } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import { asProblem } from "../../api/errors";
import type { Health } from "../../api/types";
import styles from "./Shell.module.css";

export function HealthMark() {
  const health = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/health", { signal })),
    refetchInterval: 30_000,
  });
  if (health.isError) {
    const { title } = asProblem(health.error);
    return <span className={styles.trouble}>{title}</span>;
  }
  if (!health.data) return <span className={styles.health} />;
  const trouble = troubleOf(health.data);
  return (
    <span className={trouble ? styles.trouble : styles.health}>
      {trouble ? `Degraded: ${trouble}` : `Healthy · ${health.data.version}`}
    </span>
  );
}

/** What does not work, in words; empty when all does. */
export function troubleOf({ status, store, queue, workers }: Health): string {
  if (status === "ok") return "";
  const parts = [
    store.status === "failing" && `store (${store.name}) fails`,
    queue.status === "failing" && `queue (${queue.name}) fails`,
    workers === 0 && "no worker",
  ].filter((part) => part !== false);
  return parts.join(", ") || "unknown reason";
}

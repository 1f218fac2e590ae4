import type { Health } from "../../api/types";

/** What does not work, in words; empty when all does. */
export function healthTrouble({ status, store, queue, settings, workers }: Health): string {
  if (status === "ok") return "";
  const parts = [
    store.status === "failing" && `store (${store.name}) fails`,
    queue.status === "failing" && `queue (${queue.name}) fails`,
    settings.status === "failing" && "settings cannot be used",
    workers === 0 && "no worker",
  ].filter((part) => part !== false);
  return parts.join(", ") || "unknown reason";
}

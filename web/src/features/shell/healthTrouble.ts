import type { Health } from "../../api/types";

/** What does not work, in words; empty when all does. */
export function healthTrouble({ status, store, queue, workers }: Health): string {
  if (status === "ok") return "";
  const parts = [
    store.status === "failing" && `store (${store.name}) fails`,
    queue.status === "failing" && `queue (${queue.name}) fails`,
    workers === 0 && "no worker",
  ].filter((part) => part !== false);
  return parts.join(", ") || "unknown reason";
}

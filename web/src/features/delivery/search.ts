import offered from "../../api/offered.json";
import { freeText, pickWords } from "../../lib/url";

export const DELIVERY_STATES = ["pending", "retrying", "delivered", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface DeliverySearch {
  state?: DeliveryState | undefined;
}

export function deliverySearch(raw: Record<string, unknown>): DeliverySearch {
  return { state: pickWords(raw.state, DELIVERY_STATES)[0] };
}

export interface NotificationsSearch extends DeliverySearch {
  /** The alert rule that is edited, or "new". */
  edit?: string | undefined;
}

export function notificationsSearch(raw: Record<string, unknown>): NotificationsSearch {
  return { ...deliverySearch(raw), edit: freeText(raw.edit, 64) };
}

const TARGETS: Record<string, string> = {
  search: "Elasticsearch or OpenSearch",
  collector: "Splunk",
  file: "Files",
  securityhub: "AWS Security Hub",
  ...Object.fromEntries(offered.channels.map(({ id, name }) => [id, name])),
};

export function targetWord(target: string): string {
  return TARGETS[target] ?? target;
}

import offered from "../../api/offered.json";
import { pickWords } from "../../lib/url";

export const DELIVERY_STATES = ["pending", "retrying", "delivered", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface DeliverySearch {
  state?: DeliveryState | undefined;
}

export function deliverySearch(raw: Record<string, unknown>): DeliverySearch {
  return { state: pickWords(raw.state, DELIVERY_STATES)[0] };
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

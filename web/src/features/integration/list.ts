import type { Job, NotifyResult, Settings, ShipResult } from "../../api/types";
import { plural } from "../../lib/number";
import { CHANNELS } from "../account/AccountForm";
import { notify, ship } from "../delivery/queries";

export interface Integration {
  id: string;
  name: string;
  /** What comes of it, in a sentence. */
  what: string;
  /** The settings it is connected with; the first one is its address. */
  keys: readonly string[];
  /** Sends the latest result there. */
  send: () => Promise<Job>;
  /** What a finished job tells. */
  told: (result: unknown) => string;
}

const shipping = (target: "search" | "collector"): Pick<Integration, "send" | "told"> => ({
  send: () => ship({ target }),
  told: (result) => `${plural((result as ShipResult | null)?.documents ?? 0, "document")} sent.`,
});

type Channel = (typeof CHANNELS)[number]["id"];

const telling = (id: Channel): Pick<Integration, "send" | "told"> => ({
  // Whatever was found is told, as this is to see whether a message arrives.
  send: () => notify({ channels: [id], threshold: "informational", link: window.location.origin }),
  told: (result) => {
    const { sent = [], failed = [] } = (result ?? {}) as Partial<NotifyResult>;
    return (
      failed[0]?.reason ?? (sent.length > 0 ? "Sent." : "Nothing was sent: the latest assessment has no open finding.")
    );
  },
});

export const INTEGRATIONS: readonly Integration[] = [
  ...CHANNELS.map(({ id, name, url, secret }) => ({
    id,
    name,
    what:
      id === "webhook"
        ? "A signed JSON summary after each run, for your own code."
        : "A message after each run: the score, what is new and what to do first.",
    keys: secret ? [url, secret] : [url],
    ...telling(id),
  })),
  {
    id: "search",
    name: "Elasticsearch or OpenSearch",
    what: "Every finding as a document in ECS, with a template of its index.",
    keys: ["searchUrl", "searchApiKey", "searchUsername", "searchPassword"],
    ...shipping("search"),
  },
  {
    id: "collector",
    name: "Splunk",
    what: "Every finding as an event of the HTTP Event Collector.",
    keys: ["hecUrl", "hecToken"],
    ...shipping("collector"),
  },
];

/** Where the address of an integration comes from. */
export function connection({ keys }: Integration, settings: Settings): "settings" | "env" | "none" {
  const address = settings.settings[keys[0] ?? ""];
  return address?.configured ? address.source : "none";
}

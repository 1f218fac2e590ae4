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
  /** How the latest result is sent there; absent where nothing is sent of an assessment. */
  delivery?: {
    send: () => Promise<Job>;
    /** What a finished job tells. */
    told: (result: unknown) => string;
  };
}

type Sending = NonNullable<Integration["delivery"]>;

const shipping = (target: "search" | "collector" | "securityhub"): Sending => ({
  send: () => ship({ target }),
  told: (result) => `${plural((result as ShipResult | null)?.documents ?? 0, "document")} sent.`,
});

type Channel = (typeof CHANNELS)[number]["id"];

const telling = (id: Channel): Sending => ({
  // Whatever was found is told, as this is to see whether a message arrives.
  send: () => notify({ channels: [id], threshold: "informational", link: window.location.origin }),
  told: (result) => {
    const { sent = [], failed = [] } = (result ?? {}) as Partial<NotifyResult>;
    return (
      failed[0]?.reason ?? (sent.length > 0 ? "Sent." : "Nothing was sent: the latest assessment has no open finding.")
    );
  },
});

const TICKETS = "One ticket for an issue, with its steps, and a comment when it is resolved or back.";
/** What both trackers share. */
const TICKET_KEYS = ["ticketKind", "ticketFrom", "ticketClose"];

export const INTEGRATIONS: readonly Integration[] = [
  ...CHANNELS.map(({ id, name, url, secret }) => ({
    id,
    name,
    what:
      id === "webhook"
        ? "A signed JSON summary after each run, for your own code."
        : "A message after each run: the score, what is new and what to do first.",
    keys: secret ? [url, secret] : [url],
    delivery: telling(id),
  })),
  {
    id: "search",
    name: "Elasticsearch or OpenSearch",
    what: "Every finding as a document in ECS, with a template of its index.",
    keys: ["searchUrl", "searchApiKey", "searchUsername", "searchPassword"],
    delivery: shipping("search"),
  },
  {
    id: "collector",
    name: "Splunk",
    what: "Every finding as an event of the HTTP Event Collector.",
    keys: ["hecUrl", "hecToken"],
    delivery: shipping("collector"),
  },
  {
    id: "securityhub",
    name: "AWS Security Hub",
    what: "Every finding in ASFF. The credentials of AWS come from the environment of the service.",
    keys: ["awsAccountId", "awsRegion"],
    delivery: shipping("securityhub"),
  },
  {
    id: "github",
    name: "GitHub Issues",
    what: `${TICKETS} Used while the tracker is GitHub.`,
    keys: ["githubRepository", "githubToken", "githubUrl", ...TICKET_KEYS],
  },
  {
    id: "jira",
    name: "Jira Cloud",
    what: `${TICKETS} Used while the tracker is Jira.`,
    keys: ["jiraUrl", "jiraProject", "jiraEmail", "jiraToken", "jiraIssueType", ...TICKET_KEYS],
  },
];

/** Where the address of an integration comes from. */
export function connection({ keys }: Integration, settings: Settings): "settings" | "env" | "none" {
  const address = settings.settings[keys[0] ?? ""];
  return address?.configured ? address.source : "none";
}

import offered from "../../api/offered.json";

/** A product keeps its capital; "Webhook" is a common noun. */
function named(channel: string): string {
  return channel === "Webhook" ? "the webhook" : channel;
}

/** The keys of the channels with their labels. */
const CHANNELS: Record<string, string> = Object.fromEntries(
  offered.channels.flatMap(({ name, url, secret }) => {
    const address = [url, `Address of ${named(name)}`];
    return secret ? [address, [secret, `Secret that signs for ${named(name)}`]] : [address];
  }),
);

/** The settings in the order of the page. Keys of a later service come in a group of their own. */
export const GROUPS: readonly { title: string; keys: readonly string[] }[] = [
  { title: "Notifications", keys: [...Object.keys(CHANNELS), "notifyThreshold"] },
  { title: "Elasticsearch or OpenSearch", keys: ["searchUrl", "searchApiKey", "searchUsername", "searchPassword"] },
  { title: "Splunk", keys: ["hecUrl", "hecToken"] },
  { title: "AWS Security Hub", keys: ["awsAccountId", "awsRegion"] },
  { title: "Tickets", keys: ["ticketKind", "ticketFrom", "ticketClose"] },
  { title: "GitHub Issues", keys: ["githubRepository", "githubToken", "githubUrl"] },
  { title: "Jira Cloud", keys: ["jiraUrl", "jiraProject", "jiraEmail", "jiraToken", "jiraIssueType"] },
  { title: "Planner", keys: ["aiProvider", "aiModel", "hostedAApiKey", "hostedBApiKey", "localModelHost"] },
];

const LABELS: Record<string, string> = {
  ...CHANNELS,
  notifyThreshold: "Notify from severity",
  searchUrl: "Address",
  searchApiKey: "API key",
  searchUsername: "User",
  searchPassword: "Password",
  hecUrl: "Address",
  hecToken: "Token",
  awsAccountId: "AWS account",
  awsRegion: "AWS region",
  ticketKind: "Tracker",
  ticketFrom: "Runs make tickets from severity",
  ticketClose: "Close tickets of resolved issues",
  githubRepository: "Repository, as owner/name",
  githubToken: "GitHub token",
  githubUrl: "Address of the API",
  jiraUrl: "Address of Jira",
  jiraProject: "Key of the project",
  jiraEmail: "Email address of the account",
  jiraToken: "Jira API token",
  jiraIssueType: "Issue type",
  aiProvider: "Provider",
  aiModel: "Model",
  hostedAApiKey: "Anthropic API key",
  hostedBApiKey: "OpenAI API key",
  localModelHost: "Address of a local model server",
};

const SECRET = [
  ...Object.keys(CHANNELS),
  "searchApiKey",
  "searchPassword",
  "hecToken",
  "githubToken",
  "jiraToken",
  "hostedAApiKey",
  "hostedBApiKey",
];

export function settingLabel(key: string): string {
  return LABELS[key] ?? key;
}

/** A key that this build does not know may be a secret, so it is treated as one. */
export function isSecret(key: string): boolean {
  return SECRET.includes(key) || !(key in LABELS);
}

/** Groups of the keys there are. */
export function grouped(keys: readonly string[]): { title: string; keys: string[] }[] {
  const known = GROUPS.map(({ title, keys: all }) => ({ title, keys: all.filter((key) => keys.includes(key)) }));
  const others = keys.filter((key) => !(key in LABELS)).sort();
  return [...known, { title: "Others", keys: others }].filter((group) => group.keys.length > 0);
}

export type Edits = Readonly<Record<string, string>>;

/** What is sent: a text sets its key, "" clears it. A field that was emptied again is no change. */
export function changesOf(edits: Edits, cleared: readonly string[]): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [key, text] of Object.entries(edits)) if (text.trim() !== "") out[key] = text.trim();
  for (const key of cleared) out[key] = "";
  return out;
}

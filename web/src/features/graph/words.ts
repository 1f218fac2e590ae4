export const NODE_TYPES = [
  "internet",
  "account",
  "zone",
  "dns_record",
  "origin",
  "worker",
  "tunnel",
  "access_app",
  "r2_bucket",
  "kv_namespace",
  "d1_database",
  "queue",
  "service",
  "finding",
] as const;

const NODES: Record<string, string> = {
  internet: "Internet",
  account: "Account",
  zone: "Zone",
  dns_record: "DNS record",
  origin: "Origin",
  worker: "Worker",
  tunnel: "Tunnel",
  access_app: "Access app",
  r2_bucket: "R2 bucket",
  kv_namespace: "KV namespace",
  d1_database: "D1 database",
  queue: "Queue",
  service: "Host",
  finding: "Finding",
};

const EDGES: Record<string, string> = {
  belongs_to: "belongs to",
  resolves_to: "resolves to",
  proxies: "proxies",
  exposes: "exposes",
  protects: "protects",
  executes: "runs",
  reads: "reads",
  internet_to: "reaches",
};

const PLURALS: Record<string, string> = {
  account: "account settings",
  dns_record: "DNS records",
  origin: "origins",
  worker: "Workers",
  tunnel: "tunnels",
  access_app: "Access apps",
  r2_bucket: "R2 buckets",
  kv_namespace: "KV namespaces",
  d1_database: "D1 databases",
  queue: "queues",
  service: "hosts",
  finding: "findings of the account",
};

/** A type this build does not know is shown by its own word. */
export function nodeWord(type: string): string {
  return NODES[type] ?? type;
}

/** Several of a type, as they stand in a sentence. */
export function nodesWord(type: string): string {
  return PLURALS[type] ?? type.replaceAll("_", " ");
}

/** Several of a type, as a heading. */
export function nodesTitle(type: string): string {
  const word = nodesWord(type);
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

export function edgeWord(type: string): string {
  return EDGES[type] ?? type.replaceAll("_", " ");
}

/** What a node is called that is known by its id alone. */
export function unknownNode(id: string) {
  return { id, label: id, type: id.split(":")[0] ?? "", severity: "none" as const };
}

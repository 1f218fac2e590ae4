/** The formats of GET /api/download and what each is for. */
export const FORMATS = [
  {
    id: "json",
    name: "JSON",
    end: "json",
    use: "Everything: findings of all results, paths and graph. Reads back without loss.",
  },
  { id: "html", name: "HTML", end: "html", use: "The report for people: one page, no script, printable." },
  {
    id: "sarif",
    name: "SARIF 2.1.0",
    end: "sarif",
    use: "Code scanning tools: open findings as results, checks as rules.",
  },
  {
    id: "markdown",
    name: "Markdown",
    end: "md",
    use: "Tickets and wikis: summary, attack paths, findings by category.",
  },
  { id: "csv", name: "CSV", end: "csv", use: "Spreadsheets: one row for each finding of any result." },
  { id: "asff", name: "ASFF", end: "ndjson", use: "AWS Security Hub: each line is the body of one import." },
  { id: "ocsf", name: "OCSF", end: "ndjson", use: "Security data lakes: one compliance finding a line." },
] as const;

export type Format = (typeof FORMATS)[number];

/** "edgeposture-acme-2026-03-01.sarif": letters and digits only, as any file system takes them. */
export function fileName(account: string, completedAt: string, kind: string, end: string): string {
  const words = account
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  const middle = [words || "account", completedAt.slice(0, 10), kind].filter((word) => word !== "").join("-");
  return `edgeposture-${middle}.${end}`;
}

/** "1.9 MB"; sizes are those of the file, in powers of ten. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1_000_000) return `${(n / 1000).toFixed(1)} kB`;
  return `${(n / 1_000_000).toFixed(1)} MB`;
}

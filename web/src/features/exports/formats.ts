import offered from "../../api/offered.json";

/** The formats of GET /api/download and what each is for. */
export const FORMATS = offered.formats;

/** "edgeposture-acme-2026-03-01.sarif": letters and digits only, as any file system takes them. */
export function fileName(account: string, completedAt: string, kind: string, end: string): string {
  return `edgeposture-${fileWords(account, completedAt, kind)}.${end}`;
}

/** What a file is of, between the product and the format: "acme-2026-03-01-issues". */
export function fileWords(account: string, completedAt: string, kind: string): string {
  const words = account
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return [words || "account", completedAt.slice(0, 10), kind].filter((word) => word !== "").join("-");
}

/** "1.9 MB"; sizes are those of the file, in powers of ten. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1_000_000) return `${(n / 1000).toFixed(1)} kB`;
  return `${(n / 1_000_000).toFixed(1)} MB`;
}

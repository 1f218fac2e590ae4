import type { AttackPath } from "../../api/types";
import { SEVERITIES } from "../../lib/severity";
import type { PathsSearch } from "./search";

const rank = (severity: string) => {
  const place = (SEVERITIES as readonly string[]).indexOf(severity);
  return place < 0 ? SEVERITIES.length : place;
};

/** The paths that match, the worst and shortest first. */
export function matching(paths: readonly AttackPath[], { severity, kind, node, q }: PathsSearch): AttackPath[] {
  const text = q?.toLowerCase() ?? "";
  return paths
    .filter(
      (path) =>
        (severity === undefined || path.severity === severity) &&
        (kind === undefined || path.kind === kind) &&
        (node === undefined || path.nodes.includes(node)) &&
        `${path.title} ${path.explanation} ${path.relatedCheckIds.join(" ")}`.toLowerCase().includes(text),
    )
    .sort(
      (a, b) =>
        rank(a.severity) - rank(b.severity) ||
        a.hopCount - b.hopCount ||
        a.title.localeCompare(b.title) ||
        (a.id < b.id ? -1 : 1),
    );
}

/** "exposed-origin" as words. */
export function kindWord(kind: string): string {
  const words = kind.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

import type { AttackPath } from "../../api/types";
import { SEVERITIES } from "../../lib/severity";
import type { PathsSearch } from "./search";

/** One change, and the paths that it alone breaks. */
export interface ChokePoint {
  change: string;
  nodeId: string;
  checkIds: string[];
  remediable: boolean;
  paths: AttackPath[];
  /** Findings that every one of the paths hangs on. */
  findingIds: string[];
}

const rank = (severity: string) => {
  const place = (SEVERITIES as readonly string[]).indexOf(severity);
  return place < 0 ? SEVERITIES.length : place;
};

/**
 * Changes by how many paths each breaks. Only what the service says breaks a path
 * alone counts: a finding that is merely related to it may leave the path open.
 */
export function chokePoints(paths: readonly AttackPath[]): ChokePoint[] {
  const points = new Map<string, ChokePoint>();
  for (const path of paths) {
    for (const { change, nodeId, checkIds, remediable } of path.breaks) {
      const key = JSON.stringify([nodeId, change]);
      const point = points.get(key);
      if (!point) {
        points.set(key, { change, nodeId, checkIds, remediable, paths: [path], findingIds: path.findingIds });
      } else if (!point.paths.includes(path)) {
        point.paths.push(path);
        // The service makes a change itself only where it does so for every path.
        point.remediable &&= remediable;
        point.checkIds = [...new Set([...point.checkIds, ...checkIds])];
        point.findingIds = point.findingIds.filter((id) => path.findingIds.includes(id));
      }
    }
  }
  const worst = ({ paths }: ChokePoint) => Math.min(...paths.map(({ severity }) => rank(severity)));
  return [...points.values()].sort(
    (a, b) =>
      b.paths.length - a.paths.length ||
      worst(a) - worst(b) ||
      Number(b.remediable) - Number(a.remediable) ||
      a.change.localeCompare(b.change),
  );
}

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

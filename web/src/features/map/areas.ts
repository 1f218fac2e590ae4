import { SEVERITIES } from "../../lib/severity";
import type { PostureGraph } from "../graph/columns";
import { nodesTitle } from "../graph/words";
import type { Changes } from "./changes";

/** A zone, or the resources of one type that lie in no zone. */
export interface Area {
  /** The id of the zone at Cloudflare; absent for resources of the account. */
  zone: string | undefined;
  /** The type of the resources; absent for a zone. */
  type: string | undefined;
  label: string;
  resources: number;
  /** Resources by their worst open finding, as SEVERITIES orders them. */
  counts: number[];
  worst: string;
  /** Results that are not known. */
  unknown: number;
  /** What ranks the areas: a critical resource counts 40, a high one 10, a medium one 3, a low one 1. */
  risk: number;
  worse: number;
  fixed: number;
}

const RISK: Record<string, number> = { critical: 40, high: 10, medium: 3, low: 1 };

/** The areas of the resources that a mask lets through, the riskiest first. */
export function areasOf(graph: PostureGraph, mask: Uint8Array, changes?: Changes): Area[] {
  const areas = new Map<string, Area>();
  for (let i = 0; i < mask.length; i++) {
    const own = graph.nodeTypes[graph.type[i] ?? 0] ?? "";
    if (!mask[i] || own === "internet") continue;
    const home = graph.zone[i] ?? -1;
    const key = home >= 0 ? String(home) : own;
    let area = areas.get(key);
    if (!area) {
      area = {
        zone: home >= 0 ? graph.ids[home]?.slice("zone:".length) : undefined,
        type: home >= 0 ? undefined : own,
        label: home >= 0 ? (graph.labels[home] ?? "") : nodesTitle(own),
        resources: 0,
        counts: SEVERITIES.map(() => 0),
        worst: "none",
        unknown: 0,
        risk: 0,
        worse: 0,
        fixed: 0,
      };
      areas.set(key, area);
    }
    area.resources++;
    const severity = graph.severities[graph.severity[i] ?? 0] ?? "none";
    const level = (SEVERITIES as readonly string[]).indexOf(severity);
    if (level >= 0) area.counts[level] = (area.counts[level] ?? 0) + 1;
    area.unknown += graph.unknown[i] ?? 0;
    area.risk += RISK[severity] ?? 0;
    area.worse += changes?.worse[i] ?? 0;
    area.fixed += changes?.fixed[i] ?? 0;
  }
  for (const area of areas.values()) {
    area.worst = SEVERITIES[area.counts.findIndex((count) => count > 0)] ?? "none";
  }
  return [...areas.values()].sort(
    (a, b) => b.risk - a.risk || b.resources - a.resources || (a.label < b.label ? -1 : 1),
  );
}

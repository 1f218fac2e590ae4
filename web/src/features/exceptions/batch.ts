import type { ExceptionMatch, ExceptionPreview } from "../../api/types";
import { integer, plural } from "../../lib/number";
import type { Chosen } from "../findings/selection";

/** One exception to make: what it is about, and in which account. */
export interface Part {
  account: string;
  match: ExceptionMatch;
}

const RESOURCES_AT_ONCE = 1000;
const CHECKS_AT_ONCE = 500;

/**
 * The fewest exceptions that are about the chosen findings and no other: a match is every
 * check on every resource it names, so only checks of the same resources share one.
 */
export function partsOf(chosen: Iterable<Chosen>): Part[] {
  const resources = new Map<string, Set<string>>();
  for (const { account, checkId, resourceId } of chosen) {
    const key = JSON.stringify([account, checkId]);
    resources.set(key, (resources.get(key) ?? new Set()).add(resourceId));
  }
  const alike = new Map<string, { account: string; checkIds: string[]; resourceIds: string[] }>();
  for (const [key, ids] of resources) {
    const [account, checkId] = JSON.parse(key) as [string, string];
    const resourceIds = [...ids].sort();
    const of = JSON.stringify([account, resourceIds]);
    const same = alike.get(of) ?? { account, checkIds: [], resourceIds };
    same.checkIds.push(checkId);
    alike.set(of, same);
  }
  return [...alike.values()].flatMap(({ account, checkIds, resourceIds }) =>
    chunks(checkIds.sort(), CHECKS_AT_ONCE).flatMap((checks) =>
      chunks(resourceIds, RESOURCES_AT_ONCE).map((some) => ({
        account,
        match: { checkIds: checks, resourceIds: some },
      })),
    ),
  );
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
}

export interface Sum {
  findings: number;
  bySeverity: Record<string, number>;
  paths: number;
}

/** Several previews of parts that share no finding; a path that several are on counts once. */
export function sumOf(previews: readonly ExceptionPreview[]): Sum {
  const bySeverity: Record<string, number> = {};
  for (const preview of previews) {
    for (const [word, n] of Object.entries(preview.bySeverity)) bySeverity[word] = (bySeverity[word] ?? 0) + n;
  }
  return {
    findings: previews.reduce((sum, { findings }) => sum + findings, 0),
    bySeverity,
    paths: new Set(previews.flatMap(({ attackPaths }) => attackPaths.map(({ id }) => id))).size,
  };
}

/** "Hides 41 findings, 2 critical, on 1 attack path." */
export function sumWords({ findings, bySeverity, paths }: Sum): string {
  const severe = (["critical", "high"] as const).flatMap((word) =>
    bySeverity[word] ? [`${integer(bySeverity[word])} ${word}`] : [],
  );
  const on = paths > 0 ? `on ${plural(paths, "attack path")}` : "on no attack path";
  return `Hides ${[plural(findings, "finding"), ...severe, on].join(", ")}.`;
}

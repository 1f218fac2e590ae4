import type { AttackPath } from "../../api/types";

export interface Step {
  nodeId: string;
  change: string;
  remediable: boolean;
  /** How many paths it breaks that no step before it does. */
  paths: number;
}

type Change = Pick<Step, "nodeId" | "change">;
const keyOf = ({ nodeId, change }: Change) => `${nodeId} ${change}`;

/**
 * Few changes that together break the most paths: each is the one that breaks most of those that are
 * left. That finds the least set nearly always, and the exact one would take time that doubles with every change.
 */
export function cover(paths: readonly AttackPath[], most: number, points: readonly Change[] = []): Step[] {
  // Of changes that break as many, the one that the service lists first, as everywhere else.
  const place = new Map(points.map((point, i) => [keyOf(point), i]));
  const placeOf = (step: Step) => place.get(keyOf(step)) ?? points.length;
  const steps: Step[] = [];
  let left = [...paths];
  while (steps.length < most) {
    const offers = new Map<string, Step>();
    for (const { breaks } of left) {
      // One path may list the same change twice, for two of its parts.
      const seen = new Set<string>();
      for (const { nodeId, change, remediable } of breaks) {
        const key = keyOf({ nodeId, change });
        if (seen.has(key)) continue;
        seen.add(key);
        const offer = offers.get(key) ?? { nodeId, change, remediable, paths: 0 };
        offers.set(key, { ...offer, paths: offer.paths + 1 });
      }
    }
    const best = [...offers.values()].sort((x, y) => y.paths - x.paths || placeOf(x) - placeOf(y))[0];
    if (!best) break;
    steps.push(best);
    left = left.filter(({ breaks }) => !breaks.some((one) => keyOf(one) === keyOf(best)));
  }
  return steps;
}

import offered from "../../api/offered.json";
import type { AfterRun } from "../../api/types";
import { SEVERITIES } from "../../lib/severity";

type Scalar = number | boolean | string | string[];

type Channel = NonNullable<AfterRun["notify"]>[number];
/** The channels of the service and what they are called. */
export const CHANNELS = offered.channels as readonly { id: Channel; name: string; url: string; secret?: string }[];
export const SHIP = ["search", "collector", "all", "file", "securityhub"] as const;
export const WHEN = ["always", "changed", "worse"] as const;

/** "tokenWarnDays" in words: "token warn days". */
export function policyWord(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** What was typed for a threshold, in the type its present value has; undefined when it cannot be that. */
export function policyValue(now: Scalar, typed: string): Scalar | undefined {
  const text = typed.trim();
  if (typeof now === "number") return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (typeof now === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (Array.isArray(now)) return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ""))];
  return text;
}

/** The channels that are ticked. */
export function channelsOf(values: FormData, field: string): Channel[] {
  return CHANNELS.map(({ id }) => id).filter((id) => values.getAll(field).includes(id));
}

/** What follows a run, as the service takes it; {} ends it. */
export function afterRunOf(values: FormData): AfterRun {
  const text = (name: string) => String(values.get(name) ?? "");
  const notify = channelsOf(values, "notify");
  const ship = SHIP.find((target) => target === text("ship"));
  if (ship === undefined && notify.length === 0) return {};
  const threshold = SEVERITIES.find((severity) => severity === text("threshold"));
  const when = WHEN.find((word) => word === text("when"));
  return {
    ...(ship && { ship }),
    ...(ship && values.has("onlyChanges") && { onlyChanges: true }),
    ...(notify.length > 0 && { notify }),
    ...(threshold && { threshold }),
    ...(when && { when }),
  };
}

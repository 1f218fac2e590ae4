import type { NotifyResult } from "../../api/types";
import { plural } from "../../lib/number";

/** What a run without sending found: a channel without an address gets nothing. */
export function triedOf({ payloads = {}, skipped }: NotifyResult): string {
  const idle = skipped.filter(({ reason }) => reason === "not-configured").map(({ channel }) => channel);
  const ready = Object.keys(payloads).filter((channel) => !idle.includes(channel)).length;
  return ready > 0
    ? `${plural(ready, "message")} would go out.`
    : "No message would go out: no channel has an address. Add one in the settings.";
}

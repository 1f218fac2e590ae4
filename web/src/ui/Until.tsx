import { until } from "../lib/time";
import { useNow } from "../lib/useNow";
import { Time } from "./Time";

/** How long until something is due. */
export function Until({ at }: { at: string }) {
  const now = useNow();
  return <Time at={at}>{until(at, now)}</Time>;
}

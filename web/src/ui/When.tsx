import { age } from "../lib/time";
import { useNow } from "../lib/useNow";
import { Time } from "./Time";

/** How long ago. */
export function When({ at }: { at: string }) {
  const now = useNow();
  return <Time at={at}>{age(at, now)}</Time>;
}

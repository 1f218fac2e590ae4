import { age, moment } from "../lib/time";
import { useNow } from "../lib/useNow";
import { usePrinting } from "../lib/usePrinting";
import { Time } from "./Time";

/** How long ago. On paper it would soon be wrong, so there it is the instant. */
export function When({ at }: { at: string }) {
  const now = useNow();
  const printing = usePrinting();
  return <Time at={at}>{printing ? moment(at) : age(at, now)}</Time>;
}

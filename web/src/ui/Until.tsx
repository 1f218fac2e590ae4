import { moment, until } from "../lib/time";
import { useNow } from "../lib/useNow";
import { usePrinting } from "../lib/usePrinting";
import { Time } from "./Time";

/** How long until something is due; on paper, when it is. */
export function Until({ at }: { at: string }) {
  const now = useNow();
  const printing = usePrinting();
  return <Time at={at}>{printing ? moment(at) : until(at, now)}</Time>;
}

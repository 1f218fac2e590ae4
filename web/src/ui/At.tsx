import { moment } from "../lib/time";
import { Time } from "./Time";

/** An instant where the reader is. */
export function At({ at }: { at: string }) {
  return <Time at={at}>{moment(at)}</Time>;
}

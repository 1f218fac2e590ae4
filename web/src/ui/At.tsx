import { moment, utc } from "../lib/time";

/** An instant where the reader is, with the same in UTC on hover. */
export function At({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utc(at)}>
      {moment(at)}
    </time>
  );
}

import { age, local, utc } from "../lib/time";
import { useNow } from "../lib/useNow";

/** How long ago, with the instant in UTC and where the reader is. */
export function When({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={`${utc(at)}\n${local(at)}`}>
      {age(at, now)}
    </time>
  );
}

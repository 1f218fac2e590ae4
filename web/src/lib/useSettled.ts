import { useEffect, useState } from "react";

/** The value once it has not changed for a while: typing is one question, not one per letter. */
export function useSettled<T>(value: T, rest = 200): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), rest);
    return () => clearTimeout(timer);
  }, [value, rest]);
  return settled;
}

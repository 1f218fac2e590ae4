import { useNavigate } from "@tanstack/react-router";
import { useCallback, useState } from "react";

/**
 * What the address has behind its question mark, given as it is there, and a way to change parts of it. A change counts
 * at once: the address follows when the router has done its work, and what is chosen meanwhile must not undo it. Whether
 * a change replaces the address or one can go back from it is said for all of them, or for one.
 */
export function useSearchState<T extends object>(
  there: T,
  replaces: boolean,
): [T, (part: Partial<T>, replace?: boolean) => void] {
  const navigate = useNavigate();
  const [ahead, setAhead] = useState<{ of: T; now: T }>();
  if (ahead && ahead.of !== there) setAhead(undefined);
  const set = useCallback(
    (part: Partial<T>, replace = replaces) => {
      setAhead((was) => ({ of: there, now: { ...(was?.of === there ? was.now : there), ...part } }));
      const search = (before: object) => ({ ...before, ...part });
      void navigate({ to: ".", search: search as never, replace, resetScroll: false });
    },
    [there, navigate, replaces],
  );
  return [ahead?.of === there ? ahead.now : there, set];
}

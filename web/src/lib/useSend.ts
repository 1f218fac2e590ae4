import { useRef, useState } from "react";
import { keyRing } from "../api/client";
import { secondClick } from "./doubleClick";

interface Sending {
  pending: boolean;
  error: unknown;
  send: (work: () => Promise<unknown>) => void;
}

/**
 * Sends something once at a time, and once for a double click. Unlike a mutation of the query client it keeps
 * nothing of what was sent, so a secret is gone when the request is.
 */
export function useSend(): Sending {
  const busy = useRef(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = (work: () => Promise<unknown>) => {
    if (busy.current || secondClick()) return;
    busy.current = true;
    keyRing.askAgain();
    setPending(true);
    setError(undefined);
    work()
      .catch(setError)
      .finally(() => {
        busy.current = false;
        setPending(false);
      });
  };
  return { pending, error, send };
}

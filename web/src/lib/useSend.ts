import { useRef, useState } from "react";

/** How long a second click may belong to the first, in ms. */
const DOUBLE_CLICK = 400;

interface Sending {
  pending: boolean;
  error: unknown;
  send: (work: () => Promise<unknown>) => void;
}

/**
 * Sends something once at a time; a double click is one wish, however fast the answer comes. Unlike a mutation of the query client it keeps
 * nothing of what was sent, so a secret is gone when the request is.
 */
export function useSend(): Sending {
  const busy = useRef(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = (work: () => Promise<unknown>) => {
    if (busy.current) return;
    busy.current = true;
    setPending(true);
    setError(undefined);
    Promise.all([work(), new Promise((done) => setTimeout(done, DOUBLE_CLICK))])
      .catch(setError)
      .finally(() => {
        busy.current = false;
        setPending(false);
      });
  };
  return { pending, error, send };
}

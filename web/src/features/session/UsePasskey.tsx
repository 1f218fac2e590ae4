import { useState } from "react";
import { asProblem } from "../../api/errors";
import type { Identity } from "../../api/types";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import form from "../../ui/Form.module.css";
import { signInWithPasskey } from "./passkey";

/** Signs in with the passkey that somebody chooses in their browser. Who chooses none is told how to go on. */
export function UsePasskey({ onEnter }: { onEnter: (now: Identity) => void }) {
  const { pending, error, send } = useSend();
  const [none, setNone] = useState(false);
  const use = async () => {
    setNone(false);
    const now = await signInWithPasskey();
    if (now) onEnter(now);
    else setNone(true);
  };
  return (
    <>
      <Button disabled={pending} onClick={() => send(use)}>
        Sign in with a passkey
      </Button>
      <p role="alert" className={error === undefined ? "visually-hidden" : form.error}>
        {error !== undefined && visible(asProblem(error).detail)}
      </p>
      <p role="status" className={none ? form.hint : "visually-hidden"}>
        {none && NONE_CHOSEN}
      </p>
    </>
  );
}

export const NONE_CHOSEN = "No passkey was chosen. Try again, or go on another way.";

import { Dialog } from "@base-ui/react/dialog";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { keyRing, signIn } from "../../api/client";
import { asProblem } from "../../api/errors";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import dialog from "../../ui/Dialog.module.css";
import styles from "./KeyDialog.module.css";
import { keyProblem } from "./keyProblem";

/** Signs in with the API key, which goes into a header only, never into an address or what the browser keeps. */
export function KeyDialog() {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const [problem, setProblem] = useState("");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get("key") ?? "").trim();
    const wrong = keyProblem(key);
    setProblem(wrong);
    if (wrong !== "") return;
    send(async () => {
      await signIn(key);
      // What was refused while the prompt was declined is not waiting any more.
      void client.refetchQueries({ predicate: (query) => query.state.status === "error" });
    });
  };
  const message = problem || refusal(error);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && keyRing.dismiss()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.box}>
          <form className={styles.form} onSubmit={submit}>
            <Dialog.Title>API key</Dialog.Title>
            <Dialog.Description>
              This service answers only with the key that its operator set in <code>SERVICE_API_KEY</code>.{" "}
              {window.isSecureContext
                ? "The browser stays signed in for at most seven days."
                : "Browsers stay signed in over https only: here the key is in memory until the page is loaded again."}
            </Dialog.Description>
            <label className={styles.field}>
              Key
              <input
                name="key"
                type="password"
                autoComplete="off"
                aria-invalid={message !== ""}
                aria-describedby="key-message"
              />
            </label>
            <p id="key-message" role="alert" className={message === "" ? undefined : styles.message}>
              {message}
            </p>
            <div className={styles.actions}>
              <Dialog.Close render={<Button />}>Not now</Dialog.Close>
              <Button type="submit" look="primary" disabled={pending}>
                Sign in
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function refusal(error: unknown): string {
  if (error === undefined) return "";
  const { status, detail } = asProblem(error);
  return status === 401 ? "The service refused that key." : visible(detail);
}

import { Dialog } from "@base-ui/react/dialog";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { keyRing } from "../../api/client";
import { Button } from "../../ui/Button";
import dialog from "../../ui/Dialog.module.css";
import styles from "./KeyDialog.module.css";
import { keyProblem } from "./keyProblem";

/** Asks for the API key. It stays in memory and goes into a header only, never into an address. */
export function KeyDialog({ refused }: { refused: boolean }) {
  const client = useQueryClient();
  const [keep, setKeep] = useState(false);
  const [problem, setProblem] = useState("");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get("key") ?? "").trim();
    const wrong = keyProblem(key);
    setProblem(wrong);
    if (wrong !== "") return;
    keyRing.submit(key, keep);
    // What was refused while the prompt was declined is not waiting any more.
    void client.refetchQueries({ predicate: (query) => query.state.status === "error" });
  };
  const message = problem || (refused ? "The service refused that key." : "");
  return (
    <Dialog.Root open onOpenChange={(open) => !open && keyRing.dismiss()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.box}>
          <form className={styles.form} onSubmit={submit}>
            <Dialog.Title>API key</Dialog.Title>
            <Dialog.Description>
              This service answers only with the key that its operator set in <code>SERVICE_API_KEY</code>.
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
            <label className={styles.keep}>
              <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.target.checked)} />
              Keep it until this tab is closed
            </label>
            <div className={styles.actions}>
              <Dialog.Close render={<Button />}>Not now</Dialog.Close>
              <Button type="submit" look="primary">
                Use the key
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

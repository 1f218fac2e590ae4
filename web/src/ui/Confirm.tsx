import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import { visible } from "../lib/visible";
import { Button } from "./Button";
import dialog from "./Dialog.module.css";
import { ErrorPanel } from "./ErrorPanel";
import { Field } from "./Field";
import form from "./Form.module.css";

interface Props {
  title: string;
  /** What happens, on the button. */
  action: string;
  /** Must be typed as it stands here before the button works. */
  typed?: string;
  pending: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks before something that cannot be taken back. */
export function Confirm({ title, action, typed, pending, error, onConfirm, onClose, children }: Props) {
  const [text, setText] = useState("");
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.box}>
          <form
            className={form.form}
            onSubmit={(event) => {
              event.preventDefault();
              onConfirm();
            }}
          >
            <Dialog.Title>{title}</Dialog.Title>
            <Dialog.Description render={<div />}>{children}</Dialog.Description>
            {typed !== undefined && (
              <Field label={`Type ${visible(typed)}`} name="typed">
                {(control) => (
                  <input
                    {...control}
                    value={text}
                    autoComplete="off"
                    onChange={(event) => setText(event.target.value)}
                  />
                )}
              </Field>
            )}
            {Boolean(error) && <ErrorPanel error={error} what="It was not done." />}
            <div className={form.actions}>
              <Button type="submit" look="primary" disabled={pending || (typed !== undefined && text !== typed)}>
                {action}
              </Button>
              <Dialog.Close render={<Button />}>Cancel</Dialog.Close>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

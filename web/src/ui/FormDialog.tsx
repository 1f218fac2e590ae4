import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { Button } from "./Button";
import dialog from "./Dialog.module.css";
import { ErrorPanel } from "./ErrorPanel";
import form from "./Form.module.css";

interface Props {
  title: string;
  /** What happens, on the button. */
  action: string;
  disabled: boolean;
  /** A problem that no field shows. */
  error: unknown;
  onSubmit: (values: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog, which a press beside it does not close. */
export function FormDialog({ title, action, disabled, error, onSubmit, onClose, children }: Props) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.box}>
          <form
            className={form.form}
            autoComplete="off"
            onSubmit={(event) => {
              event.preventDefault();
              // React would go on to the form that the dialog was opened in, and send that too.
              event.stopPropagation();
              onSubmit(new FormData(event.currentTarget));
            }}
          >
            <Dialog.Title>{title}</Dialog.Title>
            {children}
            {Boolean(error) && <ErrorPanel error={error} what="It was not done." />}
            <div className={form.actions}>
              <Button type="submit" look="primary" disabled={disabled}>
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

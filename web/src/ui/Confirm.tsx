import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import { typedAsShown, visible } from "../lib/visible";
import { Field } from "./Field";
import { FormDialog } from "./FormDialog";

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
export function Confirm({ typed, pending, onConfirm, children, ...dialog }: Props) {
  const [text, setText] = useState("");
  return (
    <FormDialog
      {...dialog}
      disabled={pending || (typed !== undefined && !typedAsShown(text, typed))}
      onSubmit={onConfirm}
    >
      <Dialog.Description render={<div />}>{children}</Dialog.Description>
      {typed !== undefined && (
        <Field label={`Type ${visible(typed)}`} name="typed">
          {(control) => (
            <input {...control} value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
          )}
        </Field>
      )}
    </FormDialog>
  );
}

import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { Button } from "../../ui/Button";
import dialog from "../../ui/Dialog.module.css";
import form from "../../ui/Form.module.css";
import { shortcutsOn, switchShortcuts } from "./choice";
import { SHORTCUTS } from "./keys";

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(shortcutsOn);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={`${dialog.box} ${form.form}`}>
          <Dialog.Title>Keyboard shortcuts</Dialog.Title>
          <dl className={form.facts}>
            <dt>
              <kbd>Ctrl K</kbd> or <kbd>⌘ K</kbd>
            </dt>
            <dd>Search pages, zones, checks, findings, and start runs</dd>
            {SHORTCUTS.map(({ keys, what }) => (
              <Row key={keys} keys={keys} what={what} />
            ))}
          </dl>
          <label className={form.check}>
            <input
              type="checkbox"
              checked={on}
              onChange={({ target }) => {
                switchShortcuts(target.checked);
                setOn(target.checked);
              }}
            />
            Single keys do this
          </label>
          <p className={form.hint}>
            Never while you type. Switched off, this list is found under Search in the header. The choice stays in this
            browser.
          </p>
          <div className={form.actions}>
            <Dialog.Close render={<Button />}>Close</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Row({ keys, what }: { keys: string; what: string }) {
  return (
    <>
      <dt>
        {keys.split(" ").map((key, i) => (
          <span key={key}>
            {i > 0 && " then "}
            <kbd>{key}</kbd>
          </span>
        ))}
      </dt>
      <dd>{what}</dd>
    </>
  );
}

import { Dialog } from "@base-ui/react/dialog";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { Account } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { useSettled } from "../../lib/useSettled";
import { visible } from "../../lib/visible";
import dialog from "../../ui/Dialog.module.css";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { addressOf } from "../account/queries";
import { startRun } from "../runs/queries";
import { type Entry, matching } from "./entries";
import styles from "./Palette.module.css";
import { useEntries } from "./useEntries";

/** One box that leads to every page, zone, check and finding, and starts runs. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const id = useId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [place, setPlace] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const left = useRef(false);

  const assess = useMutation({
    mutationFn: (account: Account) => startRun({ account: account.id }),
    onSuccess: (_, account) => {
      left.current = true;
      onClose();
      void navigate({ to: "/a/$a", params: { a: addressOf(account) } });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }),
  });
  const settled = useSettled(text.trim());
  const { entries, loading, errors } = useEntries(settled, assess.mutate, onHelp);
  // What was found for another text would be chosen by mistake.
  const groups = matching(settled === text.trim() ? entries : entries.filter(({ found }) => !found), text);
  const shown = groups.flatMap((group) => group.entries);
  const active = Math.min(place, shown.length - 1);

  useEffect(() => {
    if (active >= 0) list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const choose = (entry: Entry | undefined) => {
    if (!entry || assess.isPending) return;
    if (entry.group !== "Actions") {
      // The page that comes takes the focus.
      left.current = true;
      onClose();
    }
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = shown.length - 1;
    if (event.key === "ArrowDown") setPlace(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") setPlace(active <= 0 ? last : active - 1);
    else if (event.key === "Enter") choose(shown[active]);
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") onClose();
    else return;
    event.preventDefault();
  };

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={`${dialog.box} ${styles.box}`} finalFocus={() => !left.current}>
          <Dialog.Title className="visually-hidden">Search</Dialog.Title>
          <input
            type="search"
            role="combobox"
            aria-label="Page, account, zone, check, finding or action"
            placeholder="Page, account, zone, check, finding or action"
            aria-expanded={shown.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              setPlace(0);
            }}
            onKeyDown={onKeyDown}
          />
          {assess.isError && <ErrorPanel error={assess.error} what="The run did not start." />}
          {errors.length > 0 && <ErrorPanel error={errors[0]} what="Not everything could be searched." />}
          <p role="status" className={shown.length > 0 ? "visually-hidden" : styles.none}>
            {shown.length > 0
              ? plural(shown.length, "result")
              : loading || settled !== text.trim()
                ? "Searching…"
                : "Nothing matches."}
          </p>
          <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" tabIndex={-1} className={styles.list}>
            {groups.map(({ group, entries: some, more }) => (
              <div key={group} role="group" aria-label={group}>
                <div role="presentation" className={styles.group}>
                  {group}
                  {more > 0 && `, ${integer(more)} more: type on`}
                </div>
                {some.map((entry) => {
                  const index = shown.indexOf(entry);
                  return (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the box above takes the keys
                    <div
                      key={entry.id}
                      id={`${id}-${index}`}
                      role="option"
                      tabIndex={-1}
                      aria-selected={index === active}
                      className={styles.option}
                      onClick={() => choose(entry)}
                    >
                      {entry.name} {entry.hint && <span className={styles.hint}>{visible(entry.hint)}</span>}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

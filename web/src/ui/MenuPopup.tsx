import { Menu } from "@base-ui/react/menu";
import { Check, ChevronRight } from "lucide-react";
import { useRef } from "react";
import { closes } from "./closes";
import styles from "./Menu.module.css";
import type { Entry, PopupProps } from "./popup";

export function MenuPopup({ label, anchor, byKey, entries, onClose }: PopupProps & { entries: readonly Entry[] }) {
  const waits = useRef(byKey);
  return (
    <Menu.Root open onOpenChange={closes(anchor, onClose)}>
      <Menu.Portal container={anchor.current?.parentElement}>
        <Menu.Positioner anchor={anchor} align="start" sideOffset={4} className={styles.positioner}>
          <Menu.Popup
            className={styles.popup}
            aria-label={label}
            finalFocus={anchor}
            onFocus={({ target, currentTarget }) => {
              if (!waits.current || target !== currentTarget) return;
              waits.current = false;
              currentTarget.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
            }}
          >
            <Entries entries={entries} container={anchor} />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Entries({ entries, container }: { entries: readonly Entry[]; container: PopupProps["anchor"] }) {
  const lines = entries.map((entry) => <Line key={entry.name} entry={entry} container={container} />);
  const chosen = entries.find((entry) => entry.kind === "one" && entry.on);
  if (entries[0]?.kind !== "one") return lines;
  return <Menu.RadioGroup value={chosen?.name ?? ""}>{lines}</Menu.RadioGroup>;
}

function Line({ entry, container }: { entry: Entry; container: PopupProps["anchor"] }) {
  if (entry.kind === "more") {
    return (
      <Menu.SubmenuRoot>
        <Menu.SubmenuTrigger className={styles.entry}>
          <Inside entry={entry} />
          <ChevronRight aria-hidden />
        </Menu.SubmenuTrigger>
        <Menu.Portal container={container.current?.parentElement}>
          <Menu.Positioner sideOffset={2} alignOffset={-4} className={styles.positioner}>
            <Menu.Popup className={styles.popup} aria-label={entry.name}>
              <Entries entries={entry.entries} container={container} />
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.SubmenuRoot>
    );
  }
  const item = { className: styles.entry, onClick: entry.onTurn, children: <Inside entry={entry} /> };
  if (entry.kind === "many") return <Menu.CheckboxItem {...item} checked={entry.on} closeOnClick={false} />;
  return entry.kind === "one" ? <Menu.RadioItem {...item} value={entry.name} closeOnClick /> : <Menu.Item {...item} />;
}

function Inside({ entry }: { entry: Entry }) {
  return (
    <>
      {"on" in entry && <span className={styles.mark}>{entry.on && <Check aria-hidden />}</span>}
      {"icon" in entry && entry.icon}
      <span>{entry.name}</span>
      {entry.end !== undefined && <span className={styles.end}>{entry.end}</span>}
    </>
  );
}

import { Popover } from "@base-ui/react/popover";
import type { ReactNode } from "react";
import { closes } from "./closes";
import styles from "./Menu.module.css";
import type { PopupProps } from "./popup";

export function PanelPopup({ label, anchor, onClose, children }: PopupProps & { children: ReactNode }) {
  return (
    <Popover.Root open onOpenChange={closes(anchor, onClose)}>
      <Popover.Portal container={anchor.current?.parentElement}>
        <Popover.Positioner anchor={anchor} align="end" sideOffset={4} className={styles.positioner}>
          <Popover.Popup className={`${styles.popup} ${styles.panel}`} aria-label={label} finalFocus={anchor}>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

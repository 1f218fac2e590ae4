import { type ReactNode, type RefObject, useRef, useState } from "react";
import { onDemand } from "./onDemand";
import type { Entry, PopupProps } from "./popup";
import styles from "./Tools.module.css";

const MenuPopup = onDemand(() => import("./MenuPopup").then(({ MenuPopup }) => MenuPopup));
const PanelPopup = onDemand(() => import("./PanelPopup").then(({ PanelPopup }) => PanelPopup));

interface TriggerProps {
  /** What it is called, and what it shows unless there is a sign for it on a narrow page. */
  label: string;
  icon?: ReactNode;
  children?: ReactNode;
  className?: string | undefined;
  ref?: RefObject<HTMLButtonElement | null>;
}

function useTrigger(
  { label, icon, children, className = styles.tool, ref }: TriggerProps,
  kind: "menu" | "dialog",
  popup: (props: PopupProps) => ReactNode,
) {
  const own = useRef<HTMLButtonElement>(null);
  const anchor = ref ?? own;
  const [open, setOpen] = useState(false);
  const [byKey, setByKey] = useState(false);
  return (
    <div>
      <button
        ref={anchor}
        type="button"
        className={className}
        aria-haspopup={kind}
        aria-expanded={open}
        aria-label={children === undefined ? label : undefined}
        title={children === undefined ? label : undefined}
        onClick={({ detail }) => {
          setByKey(detail === 0);
          setOpen(!open);
        }}
      >
        {icon}
        {children ?? <span className={icon ? styles.spare : undefined}>{label}</span>}
      </button>
      {open && popup({ label, anchor, byKey, onClose: () => setOpen(false) })}
    </div>
  );
}

/** A button with a menu. */
export function ToolMenu({ entries, ...trigger }: TriggerProps & { entries: readonly Entry[] }) {
  return useTrigger(trigger, "menu", (popup) => <MenuPopup {...popup} entries={entries} />);
}

/** A button with a small panel of controls. */
export function ToolPanel({ panel, ...trigger }: TriggerProps & { panel: (close: () => void) => ReactNode }) {
  return useTrigger(trigger, "dialog", (popup) => <PanelPopup {...popup}>{panel(popup.onClose)}</PanelPopup>);
}

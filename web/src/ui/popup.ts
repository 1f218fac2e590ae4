import type { ReactNode, RefObject } from "react";

/** One line of a menu. */
export type Entry =
  | { kind: "many" | "one"; name: string; icon?: ReactNode; end?: string; on: boolean; onTurn: () => void }
  | { kind: "do"; name: string; icon?: ReactNode; end?: string; onTurn: () => void }
  | { kind: "more"; name: string; end?: string | undefined; entries: readonly Entry[] };

/** What opens below a button; the button is beside it in the page, so that it belongs to a landmark. */
export interface PopupProps {
  label: string;
  anchor: RefObject<HTMLButtonElement | null>;
  /** A key opened it, so its first entry takes the focus. */
  byKey: boolean;
  onClose: () => void;
}

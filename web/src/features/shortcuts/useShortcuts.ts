import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { usePlace } from "../shell/usePlace";
import { shortcutsOn } from "./choice";
import { type Action, type Heard, hear } from "./keys";
import { focusSearch, stepRow } from "./rows";

const NO_TEXT = ["checkbox", "radio", "button", "submit", "reset", "range", "color", "file"];

/** Whether a letter belongs to what has the focus. */
function types(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !NO_TEXT.includes(target.type);
  return target.isContentEditable || target.matches("textarea, select");
}

/** The shortcuts of every page. An open dialog has keys of its own, also while its code is loaded. */
export function useShortcuts(opening: boolean, onOpen: (what: "palette" | "help") => void): void {
  const navigate = useNavigate();
  const place = usePlace();
  const act = (action: Action): boolean => {
    if (opening) return true;
    if (action === "palette" || action === "help") onOpen(action);
    else if (action === "search") return focusSearch();
    else if (action === "down" || action === "up") stepRow(action === "down" ? 1 : -1);
    else if (place.a === undefined) void navigate({ to: "/" });
    else void navigate({ to: action.page, params: { ...place, a: place.a } });
    return true;
  };
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });

  useEffect(() => {
    let heard: Heard = {};
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const inDialog = target instanceof Element && target.closest('[role="dialog"]') !== null;
      if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k") {
        event.preventDefault();
        if (!inDialog) latest.current("palette");
        return;
      }
      if (ctrlKey || metaKey || altKey || event.defaultPrevented || event.isComposing || inDialog) return;
      if (types(target) || key.length !== 1 || !shortcutsOn()) return;
      heard = hear(heard, key, event.timeStamp);
      if (heard.action && latest.current(heard.action)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

import { useRouter } from "@tanstack/react-router";
import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * For a form that a press opens in its page, perhaps out of sight of that press: its first field takes the focus, and what
 * was pressed gets it back. A page that begins with its form open is read from its top.
 */
export function useFormFocus(): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  const { history } = useRouter();
  useLayoutEffect(() => {
    const [box, opener] = [form.current, document.activeElement];
    if (!box || !history.canGoBack()) return;
    box.querySelector<HTMLElement>("input, select, textarea")?.focus();
    return () => {
      const now = document.activeElement;
      if (opener instanceof HTMLElement && (now === document.body || box.contains(now))) opener.focus();
    };
  }, [history]);
  return form;
}

import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Confirm } from "./Confirm";

/** Asks before the page is left while something on it is unsaved; its children say what would be lost. */
export function AskBeforeLeaving({ when, children }: { when: boolean; children: ReactNode }) {
  const blocker = useBlocker({ shouldBlockFn: () => when, enableBeforeUnload: () => when, withResolver: true });
  if (blocker.status !== "blocked") return null;
  return (
    <Confirm
      title="Leave without saving?"
      action="Leave"
      pending={false}
      error={undefined}
      onClose={blocker.reset}
      onConfirm={blocker.proceed}
    >
      {children}
    </Confirm>
  );
}

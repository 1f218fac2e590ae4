import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { onDemand } from "./onDemand";

// Most people save first, and pages without a form share this.
const Confirm = onDemand(() => import("./Confirm").then(({ Confirm }) => Confirm));

/** Set while the page is being left on somebody's word: several forms of it may be unsaved, and it is asked once. */
let leaving = false;

interface Props {
  /** Whether something is unsaved; it is asked then, not when the form was drawn. */
  when: () => boolean;
  children: ReactNode;
}

/** Asks before a page, or the form that its address opens, is left while something is unsaved; its children say what would be lost. */
export function AskBeforeLeaving({ when, children }: Props) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      !leaving && when() && (current.pathname !== next.pathname || opens(current) !== opens(next)),
    enableBeforeUnload: when,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  const leave = () => {
    leaving = true;
    blocker.proceed();
    setTimeout(() => {
      leaving = false; // the other forms were passed by then
    });
  };
  return (
    <Confirm
      title="Leave without saving?"
      action="Leave"
      pending={false}
      error={undefined}
      onClose={blocker.reset}
      onConfirm={leave}
    >
      {children}
    </Confirm>
  );
}

/** What the form of a page is about, where its address says so. */
const opens = ({ search }: { search: object }) => "edit" in search && search.edit;

/** For a form whose fields hold what was typed: what asks before it is left, until it was saved. */
export function useTyped() {
  const typed = useRef(false);
  const is = (now: boolean) => () => {
    typed.current = now;
  };
  const asks = <AskBeforeLeaving when={() => typed.current}>What was typed would be lost.</AskBeforeLeaving>;
  return { onChange: is(true), saved: is(false), asks };
}

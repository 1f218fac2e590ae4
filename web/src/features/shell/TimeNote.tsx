import { useEffect, useId, useState } from "react";
import { moment, utc, zoneName } from "../../lib/time";
import styles from "./TimeNote.module.css";

interface Note {
  at: string;
  left: number;
  top: number;
}

/** Room for the note below a time; without it the note stands above. */
const ROOM = 64;

/** The time under the pointer or the focus, or in the link that has the focus, where the reader is and in UTC. */
export function TimeNote() {
  const id = useId();
  const [note, setNote] = useState<Note>();
  useEffect(() => {
    let described: Element | undefined;
    const hide = () => {
      described?.removeAttribute("aria-describedby");
      described = undefined;
      setNote(undefined);
    };
    const show = ({ type, target }: Event) => {
      const on = target instanceof Element ? target : null;
      const time = on?.closest("time") ?? (type === "focusin" ? on?.querySelector(":scope > time") : null);
      hide();
      // A day is the same everywhere, and its midnight in UTC would be the day before in America.
      if (!time?.dateTime.includes("T")) return;
      if (time === on && type === "focusin") {
        described = time;
        time.setAttribute("aria-describedby", id);
      }
      const { left, top, bottom } = time.getBoundingClientRect();
      setNote({
        at: time.dateTime,
        left: Math.max(8, Math.min(left, window.innerWidth - 216)),
        top: bottom + ROOM > window.innerHeight ? top - ROOM + 8 : bottom + 4,
      });
    };
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && hide();
    document.addEventListener("pointerover", show);
    document.addEventListener("focusin", show);
    document.addEventListener("focusout", hide);
    document.addEventListener("keydown", onKey);
    window.addEventListener("scroll", hide, { capture: true, passive: true });
    return () => {
      document.removeEventListener("pointerover", show);
      document.removeEventListener("focusin", show);
      document.removeEventListener("focusout", hide);
      document.removeEventListener("keydown", onKey);
      window.removeEventListener("scroll", hide, { capture: true });
    };
  }, [id]);
  return (
    <div
      id={id}
      role="tooltip"
      hidden={!note}
      className={styles.note}
      style={note && { left: note.left, top: note.top }}
    >
      {note && (
        <>
          <div>{utc(note.at)}</div>
          <div>
            {moment(note.at)} {zoneName(note.at)}
          </div>
        </>
      )}
    </div>
  );
}

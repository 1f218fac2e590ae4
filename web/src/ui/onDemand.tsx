import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { unreachable } from "../api/errors";
import { servesPages } from "../api/pageCode";
import { Button } from "./Button";
import styles from "./onDemand.module.css";

interface Closable {
  onClose: () => void;
}

interface Code<P> {
  load: () => Promise<ComponentType<P>>;
  part?: ComponentType<P>;
}

/**
 * A part that is loaded when it is opened. Where its code cannot be loaded, a note says so and the page stays as it is,
 * with what was typed and chosen on it.
 */
export function onDemand<P extends Closable>(load: () => Promise<ComponentType<P>>): (props: P) => ReactNode {
  const code: Code<P> = { load };
  return (props) => <OnDemand code={code} props={props} />;
}

function OnDemand<P extends Closable>({ code, props }: { code: Code<P>; props: P }) {
  const [Part, setPart] = useState(() => code.part);
  const [failed, setFailed] = useState<"down" | "gone">();
  useEffect(() => {
    if (Part || failed) return;
    let left = false;
    code.load().then(
      (part) => {
        code.part = part;
        if (!left) setPart(() => part);
      },
      async () => {
        const serves = await servesPages();
        if (!left) setFailed(serves ? "gone" : "down");
      },
    );
    return () => {
      left = true;
    };
  }, [code, Part, failed]);
  if (Part) return <Part {...props} />;
  return failed && <NotLoaded gone={failed === "gone"} onRetry={() => setFailed(undefined)} onClose={props.onClose} />;
}

interface NoteProps {
  /** The service answers and does not have the code any more, as after an upgrade. */
  gone: boolean;
  onRetry: () => void;
  onClose: () => void;
}

function NotLoaded({ gone, onRetry, onClose }: NoteProps) {
  useEffect(() => {
    // Before what lies below hears it: one press closes one thing.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      onClose();
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  });
  const { title } = unreachable();
  return (
    <section className={styles.note} role="alert" aria-label="Not opened">
      <p>
        <strong>This could not be opened.</strong>{" "}
        {gone
          ? "The service was probably upgraded since this page was loaded. What is typed here and not saved is lost by loading it again."
          : `${title}. The page stays as it is.`}
      </p>
      <div className={styles.actions}>
        {gone ? (
          <Button look="primary" onClick={() => window.location.reload()}>
            Load the page again
          </Button>
        ) : (
          <Button look="primary" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button onClick={onClose}>Dismiss</Button>
      </div>
    </section>
  );
}

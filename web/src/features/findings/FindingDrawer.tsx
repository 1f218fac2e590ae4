import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import type { Finding } from "../../api/types";
import { Button } from "../../ui/Button";
import dialog from "../../ui/Dialog.module.css";
import { Empty } from "../../ui/Empty";
import { QueryStatus } from "../../ui/QueryStatus";
import { FindingDetail } from "./FindingDetail";
import styles from "./FindingDrawer.module.css";
import { findingQuery } from "./queries";

interface Props {
  assessmentId: string;
  findingId: string | undefined;
  /** The finding, when it is among the loaded rows. */
  loaded: Finding | undefined;
  /** Whether the rows have been asked for; before that nothing is known to be missing. */
  listed: boolean;
  place: string;
  returnTo: RefObject<HTMLElement | null>;
  onStep: (by: 1 | -1) => void;
  onDrawn: (drawn: true) => void;
  onClose: () => void;
}

/** The rows beside the drawer stay usable: going through findings one by one is the usual work. */
export function FindingDrawer({ findingId, place, returnTo, onStep, onDrawn, onClose, ...rest }: Props) {
  useEffect(() => onDrawn(true), [onDrawn]);
  const heading = useRef<HTMLHeadingElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j") onStep(1);
    else if (event.key === "k") onStep(-1);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root
      open={findingId !== undefined}
      onOpenChange={(open) => !open && onClose()}
      modal="trap-focus"
      disablePointerDismissal
    >
      <Dialog.Portal>
        <Dialog.Popup
          className={dialog.drawer}
          initialFocus={heading}
          finalFocus={() => {
            // The grid is taller than the window; focusing it must not scroll to its top.
            returnTo.current?.focus({ preventScroll: true });
            return false;
          }}
          onKeyDown={onKeyDown}
        >
          <div className={styles.bar}>
            <span className={styles.place}>{place}</span>
            <Button look="quiet" onClick={() => onStep(-1)} aria-label="Previous finding" title="Previous (k)">
              ↑
            </Button>
            <Button look="quiet" onClick={() => onStep(1)} aria-label="Next finding" title="Next (j)">
              ↓
            </Button>
            <Dialog.Close render={<Button look="quiet" aria-label="Close" title="Close (Esc)" />}>✕</Dialog.Close>
          </div>
          {findingId !== undefined && <Content {...rest} findingId={findingId} heading={heading} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ContentProps {
  assessmentId: string;
  findingId: string;
  loaded: Finding | undefined;
  listed: boolean;
  heading: RefObject<HTMLHeadingElement | null>;
}

function Content({ assessmentId, findingId, loaded, listed, heading }: ContentProps) {
  const one = useQuery({ ...findingQuery(assessmentId, findingId), enabled: listed && loaded === undefined });
  const finding = loaded ?? one.data;
  const { a = "", r = assessmentId } = useParams({ strict: false });
  if (finding) {
    return (
      <FindingDetail
        finding={finding}
        assessmentId={assessmentId}
        account={a}
        heading={(message) => (
          <Dialog.Title ref={heading} tabIndex={-1}>
            {message}
          </Dialog.Title>
        )}
        actions={
          <Link to="/a/$a/r/$r/findings/$id" params={{ a, r, id: finding.id }}>
            Open the page
          </Link>
        }
      />
    );
  }
  return (
    <div className={styles.state}>
      <Dialog.Title ref={heading} tabIndex={-1}>
        Finding
      </Dialog.Title>
      {one.isSuccess ? (
        <Empty title="No such finding here">
          This assessment has no finding <code>{findingId}</code>. Another assessment of the account may have it.
        </Empty>
      ) : (
        <QueryStatus query={one} of="finding" rows={6} />
      )}
    </div>
  );
}

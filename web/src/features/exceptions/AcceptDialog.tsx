import { Dialog } from "@base-ui/react/dialog";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef } from "react";
import { api, bodyOf } from "../../api/client";
import { problemElsewhere } from "../../lib/fieldProblem";
import { plural } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { Button } from "../../ui/Button";
import dialog from "../../ui/Dialog.module.css";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import type { Scope } from "../findings/selection";
import { endOf } from "./expiry";
import { hidesWords, skippedWords } from "./preview";
import { exceptionsChanged, onceKey } from "./queries";
import { ReasonFields } from "./ReasonFields";

const FIELDS = ["reason", "owner", "expiresAt"];

interface Props {
  scope: Scope;
  onClose: () => void;
  /** Called with how many findings are hidden by it. */
  onDone: (findings: number) => void;
}

/** Accepts the risk of chosen findings in one call, after the service has said what that hides. */
export function AcceptDialog({ scope, onClose, onDone }: Props) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const sent = useRef({ body: "", key: "" });
  const preview = useQuery({
    queryKey: ["exception-preview", scope],
    queryFn: ({ signal }) => bodyOf(api.POST("/api/exceptions/bulk/preview", { body: scope, signal })),
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const expiresAt = endOf(text("expiresAt"));
    const body = { ...scope, reason: text("reason"), owner: text("owner"), ...(expiresAt && { expiresAt }) };
    const said = JSON.stringify(body);
    // Asked again after a lost answer, the same makes nothing twice.
    if (sent.current.body !== said) sent.current = { body: said, key: onceKey() };
    const params = { header: { "Idempotency-Key": sent.current.key } };
    send(async () => {
      const { findings } = await bodyOf(api.POST("/api/exceptions/bulk", { params, body }));
      await exceptionsChanged(client);
      onDone(findings);
    });
  };
  const rest = problemElsewhere(error, FIELDS);
  const { data } = preview;
  const what = data ? plural(data.preview.findings, "finding") : "findings";
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.box}>
          <form className={form.form} onSubmit={submit} aria-busy={pending}>
            <Dialog.Title>Accept {what}</Dialog.Title>
            {preview.isPending && <Skeleton label="Asking what this hides" rows={1} />}
            <QueryError query={preview} what="What this hides is not known." />
            <div role="status">
              {data && (
                <>
                  <strong>{hidesWords(data.preview)}</strong> {skippedWords(data.skipped)}
                </>
              )}
            </div>
            <Dialog.Description className={form.hint}>
              They disappear from current lists, messages and new plans, and are still counted. Results, scores and
              attack paths stay. This run stays as it is; the next one marks them as accepted.
              {data && data.exceptions > 1 && ` It takes ${plural(data.exceptions, "exception")}, made together.`}
            </Dialog.Description>
            <ReasonFields error={error} />
            {rest && (
              <ErrorPanel
                asked
                error={rest}
                what={
                  rest.status >= 400 && rest.status < 500
                    ? "Nothing was accepted."
                    : "Either all of it was accepted or nothing; sending it again makes nothing twice."
                }
              />
            )}
            <div className={form.actions}>
              <Button type="submit" look="primary" disabled={pending || !data?.preview.findings}>
                {pending ? `Accepting ${what}…` : `Accept ${what}`}
              </Button>
              <Dialog.Close render={<Button />}>Cancel</Dialog.Close>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

import { Dialog } from "@base-ui/react/dialog";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { api, bodyOf } from "../../api/client";
import { problemElsewhere } from "../../lib/fieldProblem";
import { integer, plural } from "../../lib/number";
import { useSend } from "../../lib/useSend";
import { Button } from "../../ui/Button";
import dialog from "../../ui/Dialog.module.css";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { Skeleton } from "../../ui/Skeleton";
import type { Chosen } from "../findings/selection";
import { type Part, partsOf, sumOf, sumWords } from "./batch";
import { endOf } from "./expiry";
import { exceptionsChanged, onceKey } from "./queries";
import { ReasonFields } from "./ReasonFields";

const FIELDS = ["reason", "owner", "expiresAt"];

interface Props {
  chosen: readonly Chosen[];
  onClose: () => void;
  /** Called with how many findings are hidden by it. */
  onDone: (findings: number) => void;
}

/** Accepts the risk of chosen findings, after the service has said what that hides. */
export function AcceptDialog({ chosen, onClose, onDone }: Props) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const [parts] = useState(() => partsOf(chosen).map((part) => ({ ...part, key: onceKey() })));
  const made = useRef(new Set<string>());
  const [done, setDone] = useState(0);
  const preview = useQuery({
    queryKey: ["exception-preview", parts],
    queryFn: async ({ signal }) => {
      const previews = [];
      for (const { account, match } of parts) {
        previews.push(await bodyOf(api.POST("/api/exceptions/preview", { body: { account, match }, signal })));
      }
      return sumOf(previews);
    },
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const expiresAt = endOf(text("expiresAt"));
    send(async () => {
      for (const { key, ...part } of parts) {
        // After an error the next try goes on where it ended.
        if (made.current.has(key)) continue;
        await make(part, key, { reason: text("reason"), owner: text("owner"), ...(expiresAt && { expiresAt }) });
        made.current.add(key);
        setDone(made.current.size);
      }
      await exceptionsChanged(client);
      onDone(preview.data?.findings ?? chosen.length);
    });
  };
  const rest = problemElsewhere(error, FIELDS);
  const differs = preview.data && preview.data.findings !== chosen.length;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.box}>
          <form className={form.form} onSubmit={submit}>
            <Dialog.Title>Accept {plural(chosen.length, "finding")}</Dialog.Title>
            {preview.isPending && <Skeleton label="Asking what this hides" rows={1} />}
            {preview.isError && (
              <ErrorPanel
                error={preview.error}
                what="What this hides is not known."
                onRetry={() => preview.refetch()}
              />
            )}
            <div role="status">
              {preview.data && <strong>{sumWords(preview.data)}</strong>}
              {differs && " That is not what was chosen: some are no longer open, or are accepted by now."}
            </div>
            <Dialog.Description className={form.hint}>
              They leave the lists of now, messages and new plans, and stay countable. Results, scores and attack paths
              stay. This run is not changed; the next one carries the mark.
              {parts.length > 1 && ` It takes ${integer(parts.length)} exceptions.`}
            </Dialog.Description>
            <ReasonFields error={error} />
            {rest && (
              <ErrorPanel
                error={rest}
                what={
                  done > 0
                    ? `${integer(done)} of ${integer(parts.length)} exceptions were made; the next was not.`
                    : "Nothing was accepted."
                }
              />
            )}
            <div className={form.actions}>
              <Button type="submit" look="primary" disabled={pending || !preview.data}>
                Accept {plural(preview.data?.findings ?? chosen.length, "finding")}
              </Button>
              <Dialog.Close render={<Button />}>Cancel</Dialog.Close>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function make({ account, match }: Part, key: string, said: { reason: string; owner: string; expiresAt?: string }) {
  const params = { header: { "Idempotency-Key": key } };
  return bodyOf(api.POST("/api/exceptions", { params, body: { account, match, ...said } }));
}

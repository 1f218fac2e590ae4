import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { Account, ExceptionPreview } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { integer } from "../../lib/number";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { useTyped } from "../../ui/AskBeforeLeaving";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { useFormFocus } from "../../ui/useFormFocus";
import { addressOf } from "../account/queries";
import { useMay } from "../session/queries";
import { endOf } from "./expiry";
import { scopeOf } from "./form";
import { hidesWords } from "./preview";
import { exceptionsChanged, onceKey } from "./queries";
import { ReasonFields } from "./ReasonFields";

const MATCH = ["checkIds", "resourceIds", "pattern", "zones"].map((name) => `match.${name}`);
const FIELDS = ["account", ...MATCH, "reason", "owner", "expiresAt"];

/** A new exception: what it would hide is shown before it can be saved, and again after each change. */
export function ExceptionForm({ accounts: all, onClose }: { accounts: readonly Account[]; onClose: () => void }) {
  const may = useMay();
  const accounts = all.filter(({ id }) => may("analyst", id));
  const client = useQueryClient();
  const look = useSend();
  const save = useSend();
  const typed = useTyped();
  const box = useFormFocus();
  const [shown, setShown] = useState<{ scope: string; preview: ExceptionPreview; key: string }>();
  const [empty, setEmpty] = useState(false);
  const scope = () => (box.current ? scopeOf(new FormData(box.current)) : undefined);
  const preview = () => {
    const asked = scope();
    setShown(undefined);
    setEmpty(!asked);
    if (!asked) return;
    look.send(async () => {
      const answer = await bodyOf(api.POST("/api/exceptions/preview", { body: asked }));
      // An answer about what the form said before is of no use.
      if (JSON.stringify(scope()) === JSON.stringify(asked)) {
        setShown({ scope: JSON.stringify(asked), preview: answer, key: onceKey() });
      }
    });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const asked = scope();
    if (!asked || !shown || JSON.stringify(asked) !== shown.scope) return preview();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const expiresAt = endOf(text("expiresAt"));
    save.send(async () => {
      const body = { ...asked, reason: text("reason"), owner: text("owner"), ...(expiresAt && { expiresAt }) };
      const params = { header: { "Idempotency-Key": shown.key } };
      await bodyOf(api.POST("/api/exceptions", { params, body }));
      await exceptionsChanged(client);
      close();
    });
  };
  const close = () => {
    typed.saved();
    onClose();
  };
  const changed = () => {
    typed.onChange();
    if (shown && JSON.stringify(scope()) !== shown.scope) setShown(undefined);
    setEmpty(false);
  };
  const unseen = problemElsewhere(look.error, FIELDS);
  const refused = problemElsewhere(save.error, FIELDS);
  const problem = (name: string) => problemAt(look.error, name) ?? problemAt(save.error, name);
  return (
    <Panel title="New exception">
      <form ref={box} className={form.form} onSubmit={submit} onChange={changed} autoComplete="off">
        <p className={form.hint}>What several fields name must all be so; of one field, any value.</p>
        <div className={form.grid}>
          <Field label="Account" name="account" error={problem("account")}>
            {(control) => (
              <select {...control} defaultValue={accounts.length === 1 && accounts[0] ? addressOf(accounts[0]) : ""}>
                {may("analyst", "all") && <option value="">All accounts</option>}
                {accounts.map((account) => (
                  <option key={account.id} value={addressOf(account)}>
                    {visible(account.name)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Checks" name="checkIds" hint="Ids, with commas." error={problem("match.checkIds")}>
            {(control) => <input {...control} spellCheck={false} placeholder="CFL-DNS-009" />}
          </Field>
          <Field label="Resources" name="resourceIds" hint="Ids, with commas." error={problem("match.resourceIds")}>
            {(control) => <input {...control} spellCheck={false} />}
          </Field>
          <Field
            label="Pattern"
            name="pattern"
            hint="Fits the whole name of the resource or of its zone; * is any text, ? one character."
            error={problem("match.pattern")}
          >
            {(control) => <input {...control} spellCheck={false} maxLength={200} placeholder="*.staging.example" />}
          </Field>
          <Field label="Zones" name="zones" hint="Names or ids, with commas." error={problem("match.zones")}>
            {(control) => <input {...control} spellCheck={false} />}
          </Field>
          <fieldset className={form.field}>
            <legend className={form.label}>Severities</legend>
            {SEVERITIES.map((severity) => (
              <label key={severity} className={form.check}>
                <input type="checkbox" name="severities" value={severity} /> {severityWord(severity)}
              </label>
            ))}
          </fieldset>
        </div>
        <ReasonFields error={save.error} />
        {empty && (
          <p className={form.error} role="alert">
            This would be about every finding. Name a check, a resource, a pattern, a zone or a severity.
          </p>
        )}
        {unseen && <ErrorPanel asked error={unseen} what="What it hides is not known." onRetry={preview} />}
        <div role="status">{shown && <Shown preview={shown.preview} />}</div>
        {refused && <ErrorPanel error={refused} what="The exception was not made." />}
        <div className={form.actions}>
          <Button onClick={preview} disabled={look.pending}>
            Show what it hides
          </Button>
          <Button type="submit" look="primary" disabled={!shown || save.pending}>
            Save the exception
          </Button>
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
        </div>
        {typed.asks}
      </form>
    </Panel>
  );
}

function Shown({ preview }: { preview: ExceptionPreview }) {
  const rest = preview.findings - preview.sample.length;
  return (
    <>
      <strong>{hidesWords(preview)}</strong>
      <ul>
        {preview.sample.map((finding) => (
          <li key={finding.id}>
            <code>{finding.checkId}</code> {visible(finding.message)}
          </li>
        ))}
      </ul>
      {rest > 0 && <p className={form.hint}>and {integer(rest)} more</p>}
    </>
  );
}

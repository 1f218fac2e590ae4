import { type FormEvent, type ReactNode, useState } from "react";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { useSend } from "../../lib/useSend";
import { typedAsShown, visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";

interface Permission {
  token: string;
  apiToken?: string;
}

interface Props {
  /** The name that must be typed. */
  account: string;
  action: string;
  what: string;
  disabled: boolean;
  onSubmit: (permission: Permission) => Promise<unknown>;
  children?: ReactNode;
}

/**
 * Asks for the edit scope. It lives in the field until it is sent, in the body of
 * one request, and the fields are emptied before the answer is there.
 */
export function Gate({ account, action, what, disabled, onSubmit, children }: Props) {
  const [typed, setTyped] = useState("");
  const [missing, setMissing] = useState(false);
  const { pending, error, send } = useSend();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const target = event.currentTarget;
    const values = new FormData(target);
    const token = String(values.get("token") ?? "");
    const apiToken = String(values.get("apiToken") ?? "").trim();
    setMissing(token === "");
    if (token === "") return;
    target.reset();
    setTyped("");
    send(() => onSubmit({ token, ...(apiToken !== "" && { apiToken }) }));
  };
  const rest = problemElsewhere(error, ["token", "apiToken"]);
  return (
    <form className={form.form} onSubmit={submit} autoComplete="off">
      <div className={form.grid}>
        <Field
          label="Edit scope"
          name="token"
          hint="The secret of the service's operator, or a signed token with the edit permission. It is not kept."
          error={missing ? "Enter the edit scope." : problemAt(error, "token")}
        >
          {(control) => <input {...control} type="password" autoComplete="off" />}
        </Field>
        <Field
          label="Provider token that may write (optional)"
          name="apiToken"
          hint="Needed when the token of the account only reads."
          error={problemAt(error, "apiToken")}
        >
          {(control) => <input {...control} type="password" autoComplete="off" />}
        </Field>
        <Field label={`Type the name of the account: ${visible(account)}`} name="account">
          {(control) => (
            <input
              {...control}
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
      </div>
      {children}
      {rest && <ErrorPanel error={rest} what={what} />}
      <div className={form.actions}>
        <Button type="submit" look="primary" disabled={disabled || pending || !typedAsShown(typed, account)}>
          {action}
        </Button>
      </div>
    </form>
  );
}

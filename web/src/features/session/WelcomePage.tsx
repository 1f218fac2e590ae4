import { type FormEvent, useState } from "react";
import { welcome } from "../../api/client";
import { asProblem } from "../../api/errors";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";

/** Where an invited person chooses a password. The invitation stands behind #, which reaches no server and no log. */
export function WelcomePage() {
  const [invitation] = useState(() => window.location.hash.slice(1));
  const { pending, error, send } = useSend();
  const [wrong, setWrong] = useState("");
  const first = invitation.startsWith("first.");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    const { name, email, password = "", again } = typed;
    setWrong(password === again ? "" : "The two passwords differ.");
    if (password !== again) return;
    send(async () => {
      await welcome({ invitation, password, ...(first && { name: name ?? "", email: email ?? "" }) });
      window.location.assign("/");
    });
  };
  const message = wrong || (error === undefined ? "" : visible(asProblem(error).detail));
  return (
    <>
      <title>Welcome · Edgeposture</title>
      {invitation === "" ? (
        <Empty title="This link is not whole">Open the whole link that you were sent.</Empty>
      ) : (
        <Panel title={first ? "Become the first administrator" : "Choose your password"}>
          <form className={form.form} onSubmit={submit}>
            {first && (
              <>
                <Field label="Name" name="name">
                  {(control) => <input {...control} type="text" autoComplete="name" maxLength={200} required />}
                </Field>
                <Field label="Email address" name="email" hint="What you sign in with.">
                  {(control) => <input {...control} type="email" autoComplete="username" maxLength={320} required />}
                </Field>
              </>
            )}
            <Field label="Password" name="password" hint="At least 12 characters; some words are good.">
              {(control) => <input {...control} type="password" autoComplete="new-password" minLength={12} required />}
            </Field>
            <Field label="The same password again" name="again">
              {(control) => <input {...control} type="password" autoComplete="new-password" required />}
            </Field>
            <p role="alert" className={message === "" ? "visually-hidden" : form.error}>
              {message}
            </p>
            <div className={form.actions}>
              <Button look="primary" type="submit" disabled={pending}>
                Go on
              </Button>
            </div>
          </form>
        </Panel>
      )}
    </>
  );
}

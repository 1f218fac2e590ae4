import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { signInWays, welcome } from "../../api/client";
import { asProblem } from "../../api/errors";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { hasPasskeys, welcomeWithPasskey } from "./passkey";
import { NONE_CHOSEN } from "./UsePasskey";

/** Where an invited person chooses a passkey or a password. The invitation stands behind #, which reaches no server and no log. */
export function WelcomePage() {
  const [invitation] = useState(() => window.location.hash.slice(1));
  const { pending, error, send } = useSend();
  const [wrong, setWrong] = useState("");
  const [none, setNone] = useState(false);
  const ways = useQuery({ queryKey: ["sign-in"], queryFn: signInWays });
  const choice = ways.data?.passkeys === true && hasPasskeys();
  const [chosen, setChosen] = useState<"passkey" | "password">("passkey");
  const passkey = choice && chosen === "passkey";
  const first = invitation.startsWith("first.");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    const { name = "", email = "", password = "", again = "" } = typed;
    setWrong(password === again ? "" : "The two passwords differ.");
    if (password !== again) return;
    const who = { invitation, ...(first && { name, email }) };
    send(async () => {
      setNone(false);
      if (!passkey) await welcome({ ...who, password });
      else if (!(await welcomeWithPasskey(who))) return setNone(true);
      window.location.assign("/");
    });
  };
  const message = wrong || (error === undefined ? "" : visible(asProblem(error).detail));
  return (
    <>
      <title>Welcome · Edgeposture</title>
      <PageHead title="Welcome" />
      {invitation === "" ? (
        <Empty title="This link is incomplete">Open the whole link that you were sent.</Empty>
      ) : (
        <Panel title={first ? "Become the first administrator" : "Choose how you sign in"}>
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
            {choice && (
              <fieldset>
                <legend className={form.label}>Sign in with</legend>
                <label className={form.check}>
                  <input type="radio" name="way" checked={passkey} onChange={() => setChosen("passkey")} />a passkey,
                  which your device keeps
                </label>
                <label className={form.check}>
                  <input type="radio" name="way" checked={!passkey} onChange={() => setChosen("password")} />a password
                </label>
              </fieldset>
            )}
            {!passkey && (
              <>
                <Field label="Password" name="password" hint="At least 12 characters; some words are good.">
                  {(control) => (
                    <input {...control} type="password" autoComplete="new-password" minLength={12} required />
                  )}
                </Field>
                <Field label="The same password again" name="again">
                  {(control) => <input {...control} type="password" autoComplete="new-password" required />}
                </Field>
              </>
            )}
            <p role="alert" className={message === "" ? "visually-hidden" : form.error}>
              {message}
            </p>
            <p role="status" className={none ? form.hint : "visually-hidden"}>
              {none && NONE_CHOSEN}
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

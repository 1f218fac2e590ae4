import { Dialog } from "@base-ui/react/dialog";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { signedIn, signIn, signInWays } from "../../api/client";
import { asProblem } from "../../api/errors";
import { hearOtherTabs } from "../../api/otherTabs";
import type { Identity } from "../../api/types";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import dialog from "../../ui/Dialog.module.css";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { hasPasskeys } from "../session/passkey";
import { sessionQuery } from "../session/queries";
import { UsePasskey } from "../session/UsePasskey";
import { keyProblem } from "./keyProblem";
import styles from "./SignInDialog.module.css";

interface Props {
  /** Why a provider signed nobody in; empty when none was asked. */
  problem: string;
  onSignedIn: () => void;
  onClose: () => void;
}

/** Over the page that was asked for, which stays as it is: what was refused is sent again once somebody signed in. */
export function SignInDialog({ problem, onSignedIn, onClose }: Props) {
  const client = useQueryClient();
  const ways = useQuery({ queryKey: ["sign-in"], queryFn: signInWays });
  const [before] = useState(() => client.getQueryData(sessionQuery.queryKey));
  const enter = (now: Identity) => {
    onSignedIn();
    if (before && before.actor !== now.actor)
      void client.resetQueries(); // nothing of somebody else stays
    // What was refused while the prompt was declined is not waiting any more.
    else void client.refetchQueries({ predicate: ({ state }) => state.status === "error" });
  };
  const entered = useRef(enter);
  useEffect(() => {
    entered.current = enter;
  });
  // Somebody may have signed in in another tab, also in one beside this.
  useEffect(() => {
    const look = () =>
      void signedIn().then(
        (now) => now && entered.current(now),
        () => undefined,
      );
    window.addEventListener("focus", look);
    const deaf = hearOtherTabs(look);
    return () => {
      window.removeEventListener("focus", look);
      deaf();
    };
  }, []);

  if (!ways.data) return null;
  const { providers, password, passkeys, key } = ways.data;
  const onlyKey = providers.length === 0 && !password;
  const here = window.location.pathname + window.location.search;
  const keyForm = (
    <Way
      action={onlyKey ? "Sign in" : "Sign in with the key"}
      read={(values) => {
        const typed = String(values.get("key") ?? "").trim();
        return { wrong: keyProblem(typed), by: { key: typed } };
      }}
      refused="The service refused that key."
      onEnter={enter}
    >
      <Field
        label="API key"
        name="key"
        hint={
          <>
            What the operator of the service set in <code>SERVICE_API_KEY</code>.
          </>
        }
      >
        {(control) => <input {...control} type="password" autoComplete="off" />}
      </Field>
    </Way>
  );
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={`${dialog.box} ${styles.box}`}>
          <Dialog.Title>Sign in</Dialog.Title>
          <Dialog.Description className={form.hint}>
            {before && "The session has ended. This page stays as it is. "}
            {window.isSecureContext
              ? "The browser stays signed in for at most seven days."
              : "Browsers stay signed in over https only: here the key is in memory until the page is loaded again."}
          </Dialog.Description>
          {problem !== "" && (
            <p className={form.error} role="alert">
              {visible(problem)}
            </p>
          )}
          {passkeys && hasPasskeys() && <UsePasskey onEnter={enter} />}
          {providers.map(({ name, url }) => (
            <a
              key={name}
              href={`${url}&return=${encodeURIComponent(here)}`}
              className={styles.provider}
              // What was typed on a page that is in use would be lost with it.
              {...(before && { target: "_blank", rel: "noopener" })}
            >
              Sign in with {visible(name)}
            </a>
          ))}
          {password && (
            <Way
              action="Sign in"
              read={(values) => {
                const by = {
                  email: String(values.get("email") ?? "").trim(),
                  password: String(values.get("password") ?? ""),
                };
                return { wrong: by.email && by.password ? "" : "Enter the email address and the password.", by };
              }}
              onEnter={enter}
            >
              <Field label="Email address" name="email">
                {(control) => <input {...control} type="email" autoComplete="username" maxLength={320} />}
              </Field>
              <Field label="Password" name="password">
                {(control) => <input {...control} type="password" autoComplete="current-password" />}
              </Field>
            </Way>
          )}
          {key &&
            (onlyKey ? (
              keyForm
            ) : (
              <details className={form.details}>
                <summary>Use the API key</summary>
                {keyForm}
              </details>
            ))}
          <Dialog.Close render={<Button look="quiet" />}>Not now</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface WayProps {
  action: string;
  /** What to sign in by, and why it cannot be right. */
  read: (values: FormData) => { wrong: string; by: Parameters<typeof signIn>[0] };
  /** What a refusal means, where the service does not say it better. */
  refused?: string;
  onEnter: (now: Identity) => void;
  children: ReactNode;
}

/** A secret is in its field until it is sent, and goes out once. */
function Way({ action, read, refused, onEnter, children }: WayProps) {
  const { pending, error, send } = useSend();
  const [problem, setProblem] = useState("");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { wrong, by } = read(new FormData(event.currentTarget));
    const secret = event.currentTarget.querySelector<HTMLInputElement>('input[type="password"]');
    setProblem(wrong);
    if (wrong !== "") return;
    if (secret) secret.value = "";
    secret?.focus();
    send(async () => onEnter(await signIn(by)));
  };
  const failed = error === undefined ? undefined : asProblem(error);
  const said = failed && (failed.status === 401 && refused ? refused : visible(failed.detail));
  const message = problem || (said ?? "");
  return (
    <form className={form.form} onSubmit={submit} noValidate>
      {children}
      <p role="alert" className={message === "" ? "visually-hidden" : form.error}>
        {message}
      </p>
      <Button type="submit" look="primary" disabled={pending}>
        {action}
      </Button>
    </form>
  );
}

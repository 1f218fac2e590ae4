import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { Grant, Person } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { GrantsFields } from "./GrantFields";
import { BLANK, draftOf, grantOf } from "./grant";

const FIELDS = ["name", "email", "password"];

interface Props {
  /** Absent for somebody new. */
  person?: Person;
  /** What was saved; of somebody new without a password it has the invitation. */
  onDone: (saved: Person) => Promise<unknown>;
  onClose: () => void;
}

/** Somebody who signs in with a password or a passkey: what they are called, and what they may do. */
export function PersonDialog({ person: now, onDone, onClose }: Props) {
  // What others change while somebody types is a conflict.
  const [person] = useState(now);
  const { pending, error, send } = useSend();
  const [drafts, setDrafts] = useState(() => person?.grants.map(draftOf) ?? [BLANK]);
  const [tried, setTried] = useState(false);
  const submit = (values: FormData) => {
    setTried(true);
    const grants = drafts.map(grantOf).filter((grant): grant is Grant => grant !== undefined);
    if (grants.length < drafts.length) return;
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const password = String(values.get("password") ?? "");
    const body = { name: text("name"), email: text("email"), grants, ...(password && { password }) };
    send(async () => {
      const saving = person
        ? api.PATCH("/api/users/{id}", {
            params: { path: { id: person.id } },
            body: { ...body, revision: person.revision },
          })
        : api.POST("/api/users", { body });
      await onDone(await bodyOf(saving));
    });
  };
  return (
    <FormDialog
      title={person ? `Change ${visible(person.name)}` : "Add a person"}
      action={person ? "Save" : "Add the person"}
      disabled={pending}
      error={problemElsewhere(error, FIELDS)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" name="name" error={problemAt(error, "name")}>
        {(control) => <input {...control} required maxLength={200} autoComplete="off" defaultValue={person?.name} />}
      </Field>
      <Field label="Email address" name="email" hint="They sign in with it." error={problemAt(error, "email")}>
        {(control) => (
          <input {...control} type="email" required maxLength={320} autoComplete="off" defaultValue={person?.email} />
        )}
      </Field>
      <Field
        label={person ? "New password (optional)" : "Password (optional)"}
        name="password"
        hint={
          person
            ? "At least 12 characters. A new one ends their sessions."
            : "Leave it empty for an invitation link, by which they choose a password or a passkey. Otherwise at least 12 characters; hand it over in person."
        }
        error={problemAt(error, "password")}
      >
        {(control) => <input {...control} type="password" minLength={12} autoComplete="new-password" />}
      </Field>
      <GrantsFields drafts={drafts} tried={tried} onChange={setDrafts} />
    </FormDialog>
  );
}

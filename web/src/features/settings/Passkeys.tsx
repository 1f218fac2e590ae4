import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, bodyOf, deletion } from "../../api/client";
import type { Passkey } from "../../api/types";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import table from "../../ui/DataTable.module.css";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { FormDialog } from "../../ui/FormDialog";
import { Panel } from "../../ui/Panel";
import { PlainTable } from "../../ui/PlainTable";
import { QueryStatus } from "../../ui/QueryStatus";
import { When } from "../../ui/When";
import { hasPasskeys, makePasskey } from "../session/passkey";
import { sessionQuery } from "../session/queries";
import { NONE_CHOSEN } from "../session/UsePasskey";

/** What the reader signs in with instead of a password. Keys and programs have none. */
export function Passkeys() {
  const session = useQuery(sessionQuery);
  return session.data?.kind === "user" ? <Own /> : null;
}

function Own() {
  const passkeys = useQuery({
    queryKey: ["passkeys"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/passkeys", { signal })),
  });
  const [adding, setAdding] = useState(false);
  const { items = [], available = false } = passkeys.data ?? {};
  if (passkeys.data && !available && items.length === 0) return null;
  const done = async () => {
    setAdding(false);
    await passkeys.refetch();
  };
  return (
    <Panel
      id="passkeys"
      title="Passkeys"
      aside={available && hasPasskeys() && <Button onClick={() => setAdding(true)}>Add a passkey…</Button>}
    >
      <QueryStatus query={passkeys} of="passkeys" rows={2} />
      {passkeys.data && items.length === 0 && (
        <p className={form.hint}>You have none. With a passkey you sign in by your device, without a password.</p>
      )}
      {items.length > 0 && (
        <PlainTable caption="Passkeys" columns={["Name", "Added", "Last used", "Remove"]}>
          {items.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} onDone={done} />
          ))}
        </PlainTable>
      )}
      {adding && <Adding onDone={done} onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function Adding({ onDone, onClose }: { onDone: () => Promise<unknown>; onClose: () => void }) {
  const { pending, error, send } = useSend();
  const [none, setNone] = useState(false);
  const submit = (values: FormData) =>
    send(async () => {
      setNone(false);
      if (await makePasskey(String(values.get("name") ?? "").trim())) await onDone();
      else setNone(true);
    });
  return (
    <FormDialog
      title="Add a passkey"
      action="Add the passkey"
      disabled={pending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" name="name" hint="What you know it by, such as the device it is on.">
        {(control) => <input {...control} required maxLength={100} autoComplete="off" />}
      </Field>
      <p role="status" className={none ? form.hint : "visually-hidden"}>
        {none && NONE_CHOSEN}
      </p>
    </FormDialog>
  );
}

function Row({ passkey, onDone }: { passkey: Passkey; onDone: () => Promise<unknown> }) {
  const { pending, error, send } = useSend();
  const [asking, setAsking] = useState(false);
  const { id, createdAt, lastUsedAt } = passkey;
  const name = visible(passkey.name);
  return (
    <tr>
      <td data-label="Name" className={`${table.text} ${table.named}`}>
        {name}
      </td>
      <td data-label="Added">
        <When at={createdAt} />
      </td>
      <td data-label="Last used">{lastUsedAt ? <When at={lastUsedAt} /> : <span className="muted">never</span>}</td>
      <td data-label="Remove">
        <Button onClick={() => setAsking(true)} aria-label={`Remove ${name}`}>
          Remove…
        </Button>
        {asking && (
          <Confirm
            title={`Remove ${name}?`}
            action="Remove the passkey"
            pending={pending}
            error={error}
            onClose={() => setAsking(false)}
            onConfirm={() =>
              send(async () => {
                await deletion(api.DELETE("/api/passkeys/{id}", { params: { path: { id } } }));
                setAsking(false);
                await onDone();
              })
            }
          >
            You can no longer sign in with it. Sessions that it began stay until you revoke them.
          </Confirm>
        )}
      </td>
    </tr>
  );
}

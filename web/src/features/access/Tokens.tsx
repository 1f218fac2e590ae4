import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, bodyOf, deletion } from "../../api/client";
import type { Account, ServiceToken } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { serviceNow } from "../../lib/serviceClock";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import { CopyButton } from "../../ui/CopyButton";
import table from "../../ui/DataTable.module.css";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Until } from "../../ui/Until";
import { When } from "../../ui/When";
import { endOf, expiryDays } from "../exceptions/expiry";
import { grantWords } from "../session/words";
import styles from "./Access.module.css";
import { GrantFields } from "./GrantFields";
import { BLANK, grantOf } from "./grant";
import { List } from "./List";
import { tokensQuery } from "./queries";

const COLUMNS = ["Name", "Role", "Made by", "Ends", "Last used", "Revoke"];

/** What programs sign in with. */
export function Tokens({ accounts }: { accounts: readonly Account[] }) {
  const tokens = useQuery(tokensQuery);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<ServiceToken>();
  return (
    <List
      title="Service tokens"
      what="service tokens"
      add="New token"
      onAdd={() => setAdding(true)}
      list={tokens}
      none="No program has a token."
      columns={COLUMNS}
      csv={[
        ["name", ({ name }) => name],
        ["role", (token) => grantWords(token, accounts)],
        ["made_by", ({ createdBy }) => createdBy],
        ["ends", ({ expiresAt }) => expiresAt ?? ""],
        ["last_used", ({ lastUsedAt }) => lastUsedAt ?? ""],
      ]}
      text={({ name }) => name}
      row={(token) => <Row key={token.id} token={token} accounts={accounts} />}
    >
      {made && <Made token={made} onDone={() => setMade(undefined)} />}
      {adding && (
        <TokenDialog
          onMade={async (token) => {
            setMade(token);
            setAdding(false);
            await tokens.refetch();
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </List>
  );
}

/** The only place where a token is ever seen. It is in memory until it is taken away or the page is left. */
function Made({ token, onDone }: { token: ServiceToken; onDone: () => void }) {
  return (
    <div role="status">
      <Banner
        title={`Copy the token of ${visible(token.name)} now: it is not shown again.`}
        actions={<Button onClick={onDone}>Done</Button>}
      >
        <span className={styles.token}>
          <code>{token.token}</code>
          <CopyButton label="Copy the token" text={() => token.token ?? ""} />
        </span>
      </Banner>
    </div>
  );
}

interface DialogProps {
  onMade: (token: ServiceToken) => Promise<unknown>;
  onClose: () => void;
}

const FIELDS = ["name", "expiresAt"];

function TokenDialog({ onMade, onClose }: DialogProps) {
  const { pending, error, send } = useSend();
  const [draft, setDraft] = useState(BLANK);
  const [tried, setTried] = useState(false);
  const days = expiryDays(serviceNow());
  const submit = (values: FormData) => {
    setTried(true);
    const grant = grantOf(draft);
    if (!grant) return;
    const expiresAt = endOf(String(values.get("expiresAt") ?? ""));
    const body = { ...grant, name: String(values.get("name") ?? "").trim(), ...(expiresAt && { expiresAt }) };
    send(async () => onMade(await bodyOf(api.POST("/api/service-tokens", { body }))));
  };
  return (
    <FormDialog
      title="New service token"
      action="Make the token"
      disabled={pending}
      error={problemElsewhere(error, FIELDS)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" name="name" hint="The audit log shows it." error={problemAt(error, "name")}>
        {(control) => <input {...control} required maxLength={100} autoComplete="off" />}
      </Field>
      <GrantFields draft={draft} tried={tried} onChange={setDraft} />
      <Field
        label="Ends on"
        name="expiresAt"
        hint="Leave empty for a token that never expires."
        error={problemAt(error, "expiresAt")}
      >
        {(control) => <input {...control} type="date" min={days.first} defaultValue={days.usual} />}
      </Field>
    </FormDialog>
  );
}

function Row({ token, accounts }: { token: ServiceToken; accounts: readonly Account[] }) {
  const tokens = useQuery(tokensQuery);
  const { pending, error, send } = useSend();
  const [asking, setAsking] = useState(false);
  const { id, createdBy, expiresAt, lastUsedAt } = token;
  const name = visible(token.name);
  return (
    <tr>
      <td data-label="Name" className={`${table.text} ${table.named}`}>
        {name}
      </td>
      <td data-label="Role" className={table.text}>
        {grantWords(token, accounts)}
      </td>
      <td data-label="Made by" className={table.text}>
        {visible(createdBy)}
      </td>
      <td data-label="Ends">{expiresAt ? <Until at={expiresAt} /> : "never"}</td>
      <td data-label="Last used">{lastUsedAt ? <When at={lastUsedAt} /> : <span className="muted">never</span>}</td>
      <td data-label="Revoke">
        <Button onClick={() => setAsking(true)} aria-label={`Revoke ${name}`}>
          Revoke…
        </Button>
        {asking && (
          <Confirm
            title={`Revoke ${name}?`}
            action="Revoke the token"
            pending={pending}
            error={error}
            onClose={() => setAsking(false)}
            onConfirm={() =>
              send(async () => {
                await deletion(api.DELETE("/api/service-tokens/{id}", { params: { path: { id } } }));
                setAsking(false);
                await tokens.refetch();
              })
            }
          >
            Whatever uses it is refused at once.
          </Confirm>
        )}
      </td>
    </tr>
  );
}
